// A thenable that the callback returns is the result itself; it is not followed.
// Breaks: step 12
// Noticed by: execute-tool-failures.https.html

wrap_callback((run, args) => {
  const result = run(...args);
  return is_object(result) && !(result instanceof Promise) && typeof result.then === "function"
    ? { ...result, then: undefined }
    : result;
});
