// The signal is looked at before the input is serialized: of an aborted signal and an input that throws, the signal counts.
// Breaks: step 11
// Noticed by: execute-tool-precedence.https.html

replace_method("executeTool", (call, args) => {
  const { args: watched, options } = watch_execution(args);
  let serialized = false;
  if (is_object(watched[1])) {
    watched[1] = same_text(watched[1], () => {
      serialized = true;
    });
  }
  return map(call(...watched), undefined, (reason) => {
    throw serialized && is_signal(options.signal) && options.signal.aborted ? options.signal.reason : reason;
  });
});
