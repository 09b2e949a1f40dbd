// Where the signal is aborted while the tool runs, the promise is not rejected before the tool has been told, by a task.
// Breaks: step 19.3.1
// Noticed by: execute-tool-signal-microtask.https.html

replace_method("executeTool", (call, args) => {
  if (args.length < 3 || !is_object(args[2])) {
    return call(...args);
  }
  const signal_of = (value) => {
    if (!is_signal(value) || value.aborted) {
      return value;
    }
    const controller = new AbortController();
    value.addEventListener("abort", () => later(() => controller.abort(value.reason)));
    return controller.signal;
  };
  return call(...watch_execution(args, {}, { signal: signal_of }).args);
});
