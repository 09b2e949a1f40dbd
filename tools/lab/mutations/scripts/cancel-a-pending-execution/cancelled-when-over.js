// toolcancel is also fired for an execution that is over when the caller's signal is aborted.
// Breaks: step 3
// Noticed by: execute-tool-signal-late.https.html

replace_method("executeTool", (call, args) => {
  const { args: watched, seen, options } = watch_execution(args);
  const promise = call(...watched);
  map(
    promise,
    () => {
      options.signal?.addEventListener("abort", () => dispatch("toolcancel", { toolName: text_of(seen.name) }));
    },
    () => {},
  );
  return promise;
});
