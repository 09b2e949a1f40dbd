// Where the signal is aborted before the promise is fulfilled, the tool is unregistered, and the promise is fulfilled.
// Breaks: step 17.2
// Noticed by: register-tool-precedence.https.html

replace_method("registerTool", (call, args) => {
  let was_aborted = false;
  const signal_of = (signal) => {
    was_aborted = is_signal(signal) && signal.aborted;
    return signal;
  };
  const watched = watch_registration(args, {}, { signal: signal_of });
  return map(call(...watched.args), undefined, (reason) => {
    const { signal } = watched.seen;
    if (was_aborted || !signal?.aborted || reason !== signal.reason) {
      throw reason;
    }
  });
});
