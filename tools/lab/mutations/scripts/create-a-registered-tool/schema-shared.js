// The schema is parsed once, and the same object is handed to everybody who lists the tool.
// Breaks: step 3.1

const schemas = new Map();
change_listed((tool) => {
  if (tool.inputSchema !== undefined) {
    const key = JSON.stringify([tool.origin, tool.name, tool.inputSchema]);
    const known = schemas.get(tool.window)?.get(key) ?? tool.inputSchema;
    schemas.set(tool.window, new Map([...(schemas.get(tool.window) ?? []), [key, known]]));
    tool.inputSchema = known;
  }
  return tool;
});
