// The input is serialized before the origin is parsed: of both mistakes, the input's counts.
// Breaks: step 11
// Noticed by: execute-tool-precedence.https.html

replace_method("executeTool", (call, args) =>
  map(call(...args), undefined, (reason) => {
    if (is_exception(reason, "NotSupportedError") && is_object(args[1])) {
      JSON.stringify(args[1]);
    }
    throw reason;
  }),
);
