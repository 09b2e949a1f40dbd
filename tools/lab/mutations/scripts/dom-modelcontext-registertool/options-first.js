// The options are converted before the tool.
// Breaks: Web IDL
// Noticed by: register-tool-member-order.https.html

replace_method("registerTool", (call, args) => {
  if (args.length < 2 || !is_object(args[1])) {
    return call(...args);
  }
  const { exposedTo, signal } = args[1];
  return call(args[0], { exposedTo, signal });
});
