// Whatever serializing the input throws, the promise is rejected with a new TypeError.
// Breaks: step 12
// Noticed by: execute-tool-precedence.https.html

replace_method("executeTool", (call, args) => {
  let has_failed = false;
  const given = is_object(args[1])
    ? [
        args[0],
        same_text(
          args[1],
          () => {},
          () => {
            has_failed = true;
          },
        ),
        ...args.slice(2),
      ]
    : args;
  return map(call(...given), undefined, (reason) => {
    throw has_failed ? new TypeError("the input cannot be serialized") : reason;
  });
});
