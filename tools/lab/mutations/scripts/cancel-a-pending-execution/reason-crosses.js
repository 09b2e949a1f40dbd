// The reason of the callback's signal is that of the caller's, where both are in one origin.
// Breaks: step 7.6
// Noticed by: execute-tool-callback-signal.https.html

note_calls();
wrap_callback((run, [input, { signal }], name) => {
  const call = take_call(name);
  const controller = new AbortController();
  signal.addEventListener("abort", () => controller.abort(call.signal?.reason ?? signal.reason));
  return run(input, { signal: controller.signal });
});
