// The member window is read before all others of the tool.
// Breaks: Web IDL

replace_method("executeTool", (call, args) => {
  const tool = args[0];
  if (!is_object(tool)) {
    return call(...args);
  }
  const { window: target } = tool;
  return call(new Proxy({}, { get: (_, member) => (member === "window" ? target : tool[member]) }), ...args.slice(1));
});
