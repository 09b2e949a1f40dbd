// Members of the tool that are not used are not converted.
// Breaks: Web IDL

replace_method("executeTool", (call, args) => {
  const nothing = () => undefined;
  return call(...watch_execution(args, { annotations: nothing, inputSchema: nothing, title: nothing }).args);
});
