// A tool without a schema is listed with an empty one.
// Breaks: step 3
// Noticed by: get-tools.https.html

change_listed(({ annotations, description, ...tool }) => {
  return { ...(annotations ? { annotations } : {}), description, inputSchema: tool.inputSchema ?? {}, ...tool };
});
