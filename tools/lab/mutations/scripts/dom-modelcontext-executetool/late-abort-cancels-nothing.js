// Where the signal is aborted while the tool runs, the promise is rejected, but the execution is not cancelled.
// Breaks: step 19.3.2.1
// Noticed by: toolcancel.https.html

replace_method("executeTool", (call, args) => {
  if (args.length < 3 || !is_object(args[2])) {
    return call(...args);
  }
  let signal;
  const signal_of = (value) => {
    signal = is_signal(value) && !value.aborted ? value : undefined;
    return signal === undefined ? value : undefined;
  };
  const promise = call(...watch_execution(args, {}, { signal: signal_of }).args);
  if (signal === undefined || document.defaultView === null) {
    return promise;
  }
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    promise.then(resolve, reject);
  });
});
