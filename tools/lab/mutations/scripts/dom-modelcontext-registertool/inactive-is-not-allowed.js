// In a document that is not fully active, the promise is rejected with a NotAllowedError.
// Breaks: step 3
// Noticed by: register-tool-precedence.https.html

replace_method("registerTool", (call, args) => {
  const watched = watch_registration(args);
  const promise = call(...watched.args);
  const is_converted = typeof watched.seen.execute === "function" && watched.seen.name !== undefined;
  if (document.defaultView !== null || !is_converted) {
    return promise;
  }
  promise.catch(() => {});
  return Promise.reject(new DOMException("not active", "NotAllowedError"));
});
