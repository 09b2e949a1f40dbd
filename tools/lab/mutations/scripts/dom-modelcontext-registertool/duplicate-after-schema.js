// Whether the name is taken is asked after the schema was serialized: of both mistakes, the schema's counts.
// Breaks: step 7
// Noticed by: register-tool-precedence.https.html

replace_method("registerTool", (call, args) => {
  const watched = watch_registration(args);
  const promise = call(...watched.args);
  const { name, description, inputSchema } = watched.seen;
  return map(promise, undefined, (reason) => {
    const is_duplicate = is_name(name) && text_of(description) !== "";
    if (is_exception(reason, "InvalidStateError") && is_object(inputSchema) && is_duplicate) {
      JSON.stringify(inputSchema);
    }
    throw reason;
  });
});
