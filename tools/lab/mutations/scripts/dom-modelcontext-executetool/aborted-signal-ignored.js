// A signal that is aborted already has no effect; the tool is executed.
// Breaks: step 19.2
// Noticed by: execute-tool-precedence.https.html

replace_method("executeTool", (call, args) => {
  const signal_of = (signal) => (is_signal(signal) && signal.aborted ? undefined : signal);
  return call(...(args.length > 2 ? watch_execution(args, {}, { signal: signal_of }).args : args));
});
