// A conversion that fails throws, and does not make a rejected promise.
// Breaks: Web IDL
// Noticed by: register-tool-conversions.https.html

replace_method("registerTool", (call, args) => {
  if (!is_object(args[0])) {
    call(...args).catch(() => {});
    throw new TypeError("the tool is no object");
  }
  return call(...args);
});
