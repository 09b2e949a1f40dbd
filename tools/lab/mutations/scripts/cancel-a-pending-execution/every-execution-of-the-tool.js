// Cancelling one execution aborts the signals of all executions of the same tool.
// Breaks: step 7.4
// Noticed by: execute-tool-callback-signal.https.html

replace_in_registration({
  execute(callback) {
    const controllers = new Set();
    return typeof callback !== "function"
      ? callback
      : function (input, { signal }) {
          const controller = new AbortController();
          controllers.add(controller);
          signal.addEventListener("abort", () => {
            for (const one of controllers) {
              one.abort(signal.reason);
            }
          });
          return apply(callback, this, [input, { signal: controller.signal }]);
        };
  },
});
