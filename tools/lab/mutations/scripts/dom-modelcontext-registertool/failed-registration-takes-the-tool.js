// The signal of a registration that failed, because its name was taken, unregisters the tool that has the name.
// Breaks: step 17
// Noticed by: register-tool-signal.https.html

const controllers = new Map();
replace_method("registerTool", (call, args) => {
  const signal_of = (signal) => {
    if (document.defaultView === null || (signal !== undefined && (!is_signal(signal) || signal.aborted))) {
      return signal;
    }
    controller = new AbortController();
    signal?.addEventListener("abort", () => controller.abort(signal.reason), { once: true });
    return controller.signal;
  };
  let controller;
  const watched = watch_registration(args, {}, { signal: signal_of });
  const promise = call(...watched.args);
  const { name, signal } = watched.seen;
  promise.then(
    () => controllers.set(text_of(name), controller),
    (reason) => {
      if (is_exception(reason, "InvalidStateError")) {
        signal?.addEventListener("abort", () => controllers.get(text_of(name))?.abort());
      }
    },
  );
  return promise;
});
