// A callback that throws, and does not return a rejected promise, never settles its execution's promise with an error: the result is null.
// Breaks: step 11
// Noticed by: execute-tool-unhandled.https.html

wrap_callback((run, args) => {
  try {
    return run(...args);
  } catch {
    return null;
  }
});
