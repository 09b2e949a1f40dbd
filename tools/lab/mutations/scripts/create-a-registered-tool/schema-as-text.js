// The schema is listed as JSON text.
// Breaks: step 3.2

change_listed((tool) =>
  tool.inputSchema === undefined ? tool : Object.assign(tool, { inputSchema: JSON.stringify(tool.inputSchema) }),
);
