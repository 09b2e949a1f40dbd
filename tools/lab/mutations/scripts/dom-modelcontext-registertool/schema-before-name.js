// The schema is serialized before the name is looked at: of both mistakes, the schema's counts.
// Breaks: step 8
// Noticed by: register-tool-precedence.https.html

replace_method("registerTool", (call, args) => {
  const watched = watch_registration(args);
  const promise = call(...watched.args);
  const { name, inputSchema } = watched.seen;
  return map(promise, undefined, (reason) => {
    if (is_exception(reason, "InvalidStateError") && is_object(inputSchema) && !is_name(name)) {
      JSON.stringify(inputSchema);
    }
    throw reason;
  });
});
