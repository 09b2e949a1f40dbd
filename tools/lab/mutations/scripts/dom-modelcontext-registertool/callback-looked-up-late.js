// What is invoked is the member that the dictionary has when the tool is executed.
// Breaks: step 18.1
// Noticed by: register-tool.https.html

replace_method("registerTool", (call, args) => {
  const execute = (callback) =>
    typeof callback !== "function"
      ? callback
      : function (...given) {
          return apply(Object.getOwnPropertyDescriptor(args[0], "execute")?.value ?? callback, this, given);
        };
  return call(...watch_registration(args, { execute }).args);
});
