// A result that cannot be serialized is null.
// Breaks: step 12.a.4.1
// Noticed by: execute-tool-failures.https.html

wrap_callback(async (run, args) => {
  const result = await run(...args);
  try {
    JSON.stringify(result);
  } catch {
    return null;
  }
  return result;
});
