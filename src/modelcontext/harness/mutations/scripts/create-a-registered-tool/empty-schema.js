// A tool without a schema is listed with an empty one.
// Breaks: step 3

change_listed(({ annotations, description, ...tool }) => {
  return { ...(annotations ? { annotations } : {}), description, inputSchema: tool.inputSchema ?? {}, ...tool };
});
