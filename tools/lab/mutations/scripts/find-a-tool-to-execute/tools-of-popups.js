// A tool in another tab is executed as well, if its document has the caller's origin.
// Breaks: step 4
// Noticed by: execute-tool-unload.https.html

const execute = Symbol.for("mutation: execute");
Object.defineProperty(self, execute, { value: prototype.executeTool });
replace_method("executeTool", (call, args) => {
  const { args: watched, seen } = watch_execution(args);
  return map(call(...watched), undefined, (reason) => {
    if (is_exception(reason, "UnknownError") && is_object(seen.window) && seen.window.top !== top) {
      return apply(seen.window[execute], seen.window.document.modelContext, [{ ...seen }, ...watched.slice(1)]);
    }
    throw reason;
  });
});
