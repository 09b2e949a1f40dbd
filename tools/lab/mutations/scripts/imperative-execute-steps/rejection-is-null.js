// A callback that throws or rejects has the result null.
// Breaks: step 12.b.4.1
// Noticed by: execute-tool-unhandled.https.html

wrap_callback(async (run, args) => {
  try {
    return await run(...args);
  } catch {
    return null;
  }
});
