// Whatever serializing the schema throws, the promise is rejected with a new TypeError.
// Breaks: step 11.2

replace_method("registerTool", (call, args) => {
  let failed = false;
  const inputSchema = (schema) => !is_object(schema) ? schema : {
    toJSON() {
      try {
        const text = JSON.stringify(schema);
        return text === undefined ? undefined : JSON.parse(text);
      } catch (thrown) {
        failed = true;
        throw thrown;
      }
    },
  };
  return map(call(...watch_registration(args, { inputSchema }).args), undefined, (reason) => {
    throw failed ? new TypeError("the schema cannot be serialized") : reason;
  });
});
