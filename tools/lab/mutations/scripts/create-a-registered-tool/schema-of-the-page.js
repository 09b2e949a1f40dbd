// The page's own schema object is listed, where it is of the same document, and no copy of it.
// Breaks: step 3.1

const tools = track_tools();
change_listed((tool) => {
  if (tool.window === self && tool.inputSchema !== undefined && tools.has(tool.name)) {
    tool.inputSchema = tools.get(tool.name).inputSchema;
  }
  return tool;
});
