// In a document that is not fully active, the promise is rejected with an UnknownError.
// Breaks: step 3
// Noticed by: not-fully-active.https.html

replace_method("executeTool", (call, args) => {
  const { args: watched, seen } = watch_execution(args);
  const promise = call(...watched);
  if (document.defaultView !== null || seen.window === undefined) {
    return promise;
  }
  promise.catch(() => {});
  return Promise.reject(new DOMException("not active", "UnknownError"));
});
