// Where the document of a running tool goes away, the caller's promise is fulfilled with null.
// Breaks: step 4.4.4.1

replace_method("executeTool", (call, args) => {
  const { args: watched, seen } = watch_execution(args);
  const target_document = () => {
    try {
      return seen.window.document;
    } catch {
      return undefined;
    }
  };
  const promise = call(...watched);
  const before = target_document();
  return map(promise, undefined, (reason) => {
    if (is_exception(reason, "UnknownError") && before && before.defaultView === null) {
      return null;
    }
    throw reason;
  });
});
