// Whether the target's origin is the one that the caller named is not asked.
// Breaks: step 5
// Noticed by: execute-tool-origin.https.html

replace_method("executeTool", (call, args) => {
  const { args: watched, seen } = watch_execution(args);
  return map(call(...watched), undefined, (reason) => {
    const named = URLS.parse(text_of(seen.origin))?.origin;
    if (is_exception(reason, "UnknownError") && named !== seen.window.origin) {
      const { name, description, window: target } = seen;
      return call({ name, description, window: target, origin: target.origin }, ...watched.slice(1));
    }
    throw reason;
  });
});
