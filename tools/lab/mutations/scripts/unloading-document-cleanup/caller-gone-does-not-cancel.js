// Where the document of the caller goes away, the execution is not cancelled.
// Breaks: step 4.4.3.1

const aborts = shared("aborts", () => ({ count: 0 }));
replace_method("executeTool", (call, args) => {
  const { args: watched, options } = watch_execution(args);
  const promise = call(...watched);
  options.signal?.addEventListener("abort", () => {
    ++aborts.count;
  });
  return promise;
});
wrap_callback((run, [input, { signal }]) => {
  const controller = new AbortController();
  signal.addEventListener("abort", () => {
    if (aborts.count > 0) {
      controller.abort(signal.reason);
    }
  });
  return run(input, { signal: controller.signal });
});
intercept("toolcancel", (event) => {
  if (aborts.count > 0) {
    --aborts.count;
  } else {
    drop(event);
  }
});
