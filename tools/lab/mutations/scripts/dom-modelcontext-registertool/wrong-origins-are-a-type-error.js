// Origins to expose the tool to that fail to parse are a TypeError.
// Breaks: step 15.2
// Noticed by: register-tool-precedence.https.html

replace_method("registerTool", (call, args) =>
  map(call(...args), undefined, (reason) => {
    throw is_exception(reason, "SecurityError") ? new TypeError("no origin") : reason;
  }),
);
