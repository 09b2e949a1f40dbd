// Where the document of a running tool goes away, the caller's promise is rejected with an AbortError.
// Breaks: step 4.4.4.1

replace_method("executeTool", (call, args) => {
  const { args: watched, seen } = watch_execution(args);
  const promise = call(...watched);
  let before;
  try {
    before = seen.window.document;
  } catch {
    // Of another origin, or no window at all.
  }
  return map(promise, undefined, (reason) => {
    throw is_exception(reason, "UnknownError") && before && before.defaultView === null
      ? new DOMException("gone", "AbortError")
      : reason;
  });
});
