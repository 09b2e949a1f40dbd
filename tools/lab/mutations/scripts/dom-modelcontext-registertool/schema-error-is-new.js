// Whatever serializing the schema throws, the promise is rejected with a new TypeError.
// Breaks: step 11.2

replace_method("registerTool", (call, args) => {
  let has_failed = false;
  const inputSchema = (schema) =>
    is_object(schema)
      ? same_text(
          schema,
          () => {},
          () => {
            has_failed = true;
          },
        )
      : schema;
  return map(call(...watch_registration(args, { inputSchema }).args), undefined, (reason) => {
    throw has_failed ? new TypeError("the schema cannot be serialized") : reason;
  });
});
