// The signal of the callback is aborted while the caller's abort() runs, and not by a task, where both are in one origin.
// Breaks: step 7
// Noticed by: execute-tool-callback-signal.https.html

note_calls();
wrap_callback((run, [input, { signal }], name) => {
  const call = take_call(name);
  const controller = new AbortController();
  call.signal?.addEventListener("abort", () => controller.abort());
  signal.addEventListener("abort", () => controller.abort(signal.reason));
  return run(input, { signal: controller.signal });
});
