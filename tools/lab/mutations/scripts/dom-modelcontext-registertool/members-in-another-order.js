// The member name is read before all others of the tool.
// Breaks: Web IDL
// Noticed by: register-tool-member-order.https.html

replace_method("registerTool", (call, args) => {
  const tool = args[0];
  if (!is_object(tool)) {
    return call(...args);
  }
  const { name } = tool;
  return call(new Proxy({}, { get: (_, member) => (member === "name" ? name : tool[member]) }), ...args.slice(1));
});
