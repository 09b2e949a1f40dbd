// Where the signal is aborted already, the promise is rejected with a new AbortError, and not with the signal's reason.
// Breaks: step 13
// Noticed by: register-tool-precedence.https.html

replace_method("registerTool", (call, args) => {
  let aborted = false;
  const signal_of = (signal) => {
    aborted = is_signal(signal) && signal.aborted;
    return signal;
  };
  const watched = watch_registration(args, {}, { signal: signal_of });
  return map(call(...watched.args), undefined, (reason) => {
    throw aborted && reason === watched.seen.signal.reason ? new DOMException("aborted", "AbortError") : reason;
  });
});
