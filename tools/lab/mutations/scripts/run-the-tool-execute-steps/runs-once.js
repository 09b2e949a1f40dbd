// A tool runs once; every later execution fails.
// Breaks: step 3
// Seen through: dom-modelcontext-executetool
// Noticed by: execute-tool-failures.https.html

replace_in_registration({
  execute(callback) {
    let runs = 0;
    return typeof callback !== "function"
      ? callback
      : function (...args) {
          if (++runs > 1) {
            throw new Error("this tool was run before");
          }
          return apply(callback, this, args);
        };
  },
});
