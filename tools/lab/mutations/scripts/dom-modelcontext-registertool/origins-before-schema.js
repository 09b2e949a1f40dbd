// The origins to expose the tool to are parsed before the schema is serialized: of both mistakes, theirs counts.
// Breaks: step 15
// Noticed by: register-tool-precedence.https.html

replace_method("registerTool", (call, args) => {
  let serialized = false;
  const inputSchema = (schema) =>
    is_object(schema)
      ? same_text(schema, () => {
          serialized = true;
        })
      : schema;
  const watched = watch_registration(args, { inputSchema });
  return map(call(...watched.args), undefined, (reason) => {
    const { exposedTo } = watched.seen;
    const is_wrong = Array.isArray(exposedTo) && exposedTo.some((text) => !URL.canParse(text));
    throw serialized && is_wrong ? new DOMException("no URL", "SecurityError") : reason;
  });
});
