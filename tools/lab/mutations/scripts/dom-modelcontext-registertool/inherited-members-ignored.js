// Members that a tool inherits are not read.
// Breaks: Web IDL
// Noticed by: register-tool-conversions.https.html

replace_method("registerTool", (call, args) => {
  const tool = args[0];
  const own_member = (_, member) => (Object.hasOwn(tool, member) ? tool[member] : undefined);
  return call(...(is_object(tool) ? [new Proxy({}, { get: own_member }), ...args.slice(1)] : args));
});
