// Where the document of a running tool goes away, the signal of the callback is aborted, and toolcancel is fired.
// Breaks: step 4.4.3

const running = new Map();
wrap_callback((run, [input, { signal }], name) => {
  const controller = new AbortController();
  running.set(controller, name);
  signal.addEventListener("abort", () => controller.abort(signal.reason));
  return run(input, { signal: controller.signal });
});
self.addEventListener("pagehide", () => {
  for (const [controller, toolName] of running) {
    controller.abort();
    dispatch("toolcancel", { toolName });
  }
});
