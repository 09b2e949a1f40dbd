// The schema is made in the realm of the tool's document, and not in that of the caller.
// Breaks: step 3.1

const reachable = () => [self, ...reachable_windows()];
change_listed((tool) => {
  if (tool.inputSchema !== undefined && reachable().includes(tool.window)) {
    tool.inputSchema = tool.window.JSON.parse(JSON.stringify(tool.inputSchema));
  }
  return tool;
});
