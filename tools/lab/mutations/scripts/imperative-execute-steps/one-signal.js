// All executions of a tool get the same signal.
// Breaks: step 8

replace_in_registration({
  execute(callback) {
    const controller = new AbortController();
    return typeof callback !== "function"
      ? callback
      : function (input, { signal }) {
          signal.addEventListener("abort", () => controller.abort(signal.reason));
          return apply(callback, this, [input, { signal: controller.signal }]);
        };
  },
});
