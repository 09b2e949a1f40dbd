// A reset that is canceled ends the call, too.
// Breaks: step 2
// Noticed by: execute-cancel-reset.https.html

const endings = new WeakMap();
replace_method("executeTool", (call, args) => {
  const { args: watched, seen } = watch_execution(args);
  const promise = call(...watched);
  const form = form_of(seen);
  return form === undefined
    ? promise
    : new Promise((resolve, reject) => {
        endings.set(form, reject);
        promise.then(resolve, reject);
      });
});
self.addEventListener("reset", (event) => {
  if (event.isTrusted && event.defaultPrevented) {
    endings.get(event.target)?.(new DOMException("reset", "UnknownError"));
  }
});
