// Where the document of the caller goes away, the signal of the callback is aborted, but toolcancel is not fired.
// Breaks: step 4.4.3.1

const aborts = shared("aborts", () => ({ count: 0 }));
replace_method("executeTool", (call, args) => {
  const { args: watched, options } = watch_execution(args);
  const promise = call(...watched);
  options.signal?.addEventListener("abort", () => {
    ++aborts.count;
  });
  return promise;
});
intercept("toolcancel", (event) => {
  if (aborts.count > 0) {
    --aborts.count;
  } else {
    drop(event);
  }
});
