// The reason of the callback's signal is a TimeoutError, and not an AbortError.
// Breaks: step 7.6
// Noticed by: execute-tool-callback-signal.https.html

wrap_callback((run, [input, { signal }]) => {
  const controller = new AbortController();
  signal.addEventListener("abort", () => controller.abort(new DOMException("cancelled", "TimeoutError")));
  return run(input, { signal: controller.signal });
});
