// Where the signal is aborted before the promise is fulfilled, the promise is rejected, and the tool stays.
// Breaks: step 17.1
// Noticed by: register-tool-signal.https.html

replace_method("registerTool", (call, args) => {
  let pending = false;
  let settle;
  const aborted = new Promise((_, reject) => {
    settle = reject;
  });
  aborted.catch(() => {});
  const signal_of = (signal) => {
    if (!is_signal(signal) || signal.aborted || document.defaultView === null) {
      return signal;
    }
    const controller = new AbortController();
    signal.addEventListener("abort", () => (pending ? settle(signal.reason) : controller.abort(signal.reason)), {
      once: true,
    });
    return controller.signal;
  };
  const promise = call(...watch_registration(args, {}, { signal: signal_of }).args);
  // What the schema aborts while it is serialized is aborted already.
  pending = true;
  const end = () => {
    pending = false;
  };
  promise.then(end, end);
  return document.defaultView === null ? promise : Promise.race([aborted, promise]);
});
