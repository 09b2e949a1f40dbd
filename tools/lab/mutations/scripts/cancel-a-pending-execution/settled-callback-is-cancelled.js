// Whether the callback has settled is not asked: its signal is aborted all the same, and toolcancel is fired.
// Breaks: step 7.3
// Noticed by: execute-tool-signal-late.https.html

note_calls();
wrap_callback((run, [input, { signal }], name) => {
  const call = take_call(name);
  const controller = new AbortController();
  signal.addEventListener("abort", () => controller.abort(signal.reason));
  const result = run(input, { signal: controller.signal });
  const cancel = () => {
    if (!controller.signal.aborted) {
      controller.abort();
      dispatch("toolcancel", { toolName: name });
    }
  };
  Promise.resolve(result).then(
    () => {
      if (call.signal?.aborted) {
        cancel();
      } else {
        call.signal?.addEventListener("abort", cancel);
      }
    },
    () => {},
  );
  return result;
});
