// The callback's this value is the dictionary that the page gave.
// Breaks: step 11

replace_method("registerTool", (call, args) => {
  const execute = (callback) =>
    typeof callback === "function" ? (...given) => apply(callback, args[0], given) : callback;
  return call(...watch_registration(args, { execute }).args);
});
