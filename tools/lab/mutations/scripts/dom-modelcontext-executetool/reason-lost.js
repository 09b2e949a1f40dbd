// Where the signal is aborted already, the promise is rejected with a new AbortError, and not with the signal's reason.
// Breaks: step 19.2
// Noticed by: execute-tool-precedence.https.html

replace_method("executeTool", (call, args) => {
  let was_aborted = false;
  const signal_of = (signal) => {
    was_aborted = is_signal(signal) && signal.aborted;
    return signal;
  };
  const { args: watched, options } = watch_execution(args, {}, { signal: signal_of });
  return args.length < 3
    ? call(...args)
    : map(call(...watched), undefined, (reason) => {
        throw was_aborted && reason === options.signal.reason ? new DOMException("aborted", "AbortError") : reason;
      });
});
