// toolcancel is fired before the signal of the callback is aborted, and not after it.
// Breaks: step 7.6

wrap_callback((run, [input, { signal }], name) => {
  const controller = new AbortController();
  signal.addEventListener("abort", () => {
    dispatch("toolcancel", { toolName: name });
    controller.abort(signal.reason);
  });
  return run(input, { signal: controller.signal });
});
intercept("toolcancel", drop);
