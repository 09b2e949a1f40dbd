// The toJSON() of a result is not called.
// Breaks: step 12.a.3
// Noticed by: execute-tool-failures.https.html

wrap_callback(async (run, args) => {
  const result = await run(...args);
  return is_object(result) && typeof result.toJSON === "function" ? { ...result, toJSON: undefined } : result;
});
