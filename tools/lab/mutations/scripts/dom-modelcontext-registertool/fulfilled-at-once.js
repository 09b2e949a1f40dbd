// The promise is fulfilled in a microtask, before anybody has been notified.
// Breaks: step 23.2
// Noticed by: register-tool-toolchange-order.https.html

replace_method("registerTool", (call, args) => {
  const promise = call(...args);
  let failed = false;
  promise.catch(() => {
    failed = true;
  });
  const soon = Promise.resolve()
    .then(() => {})
    .then(() => (failed ? promise : undefined));
  return map(soon);
});
