// Unregistering a tool aborts the signals of its executions that run.
// Breaks: step 5
// Seen through: imperative-execute-steps, dom-modelcontext-executetool
// Noticed by: execute-tool-unregister.https.html

const controllers = new Map();
wrap_callback((run, [input, { signal }], name) => {
  const controller = new AbortController();
  signal.addEventListener("abort", () => controller.abort(signal.reason));
  controllers.set(name, [...(controllers.get(name) ?? []), controller]);
  return run(input, { signal: controller.signal });
});
after_registration(({ name, signal }) => {
  signal?.addEventListener("abort", () => {
    for (const controller of controllers.get(text_of(name)) ?? []) {
      controller.abort();
    }
    controllers.delete(text_of(name));
  });
});
