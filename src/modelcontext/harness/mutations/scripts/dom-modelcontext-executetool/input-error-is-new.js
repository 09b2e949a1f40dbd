// Whatever serializing the input throws, the promise is rejected with a new TypeError.
// Breaks: step 12

replace_method("executeTool", (call, args) => {
  const input = args[1];
  if (!is_object(input)) {
    return call(...args);
  }
  let failed = false;
  const toJSON = () => {
    try {
      const text = JSON.stringify(input);
      return text === undefined ? undefined : JSON.parse(text);
    } catch (thrown) {
      failed = true;
      throw thrown;
    }
  };
  return map(call(args[0], { toJSON }, ...args.slice(2)), undefined, (reason) => {
    throw failed ? new TypeError("the input cannot be serialized") : reason;
  });
});
