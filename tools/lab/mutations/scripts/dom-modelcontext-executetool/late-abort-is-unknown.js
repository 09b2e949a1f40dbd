// Where the signal is aborted while the tool runs, the promise is rejected with an UnknownError, as where the tool fails.
// Breaks: step 19.3.1
// Noticed by: execute-tool-signal-microtask.https.html

replace_method("executeTool", (call, args) => {
  const { args: watched, options } = watch_execution(args);
  const promise = call(...watched);
  const was_aborted = options.signal?.aborted;
  return map(promise, undefined, (reason) => {
    throw options.signal?.aborted && !was_aborted ? new DOMException("cancelled", "UnknownError") : reason;
  });
});
