// Whatever the name, the first tool of the document runs.
// Breaks: step 3
// Seen through: dom-modelcontext-executetool
// Noticed by: execute-tool.https.html

const callbacks = new Map();
wrap_callback((_run, args, _name, callback) => apply([...callbacks.values()][0] ?? callback, undefined, args));
after_registration(({ name, execute, signal }) => {
  callbacks.set(text_of(name), execute);
  signal?.addEventListener("abort", () => callbacks.delete(text_of(name)));
});
