// An input that is an array fails, as a primitive does.
// Breaks: step 6
// Noticed by: execute-tool-inputs.https.html

wrap_callback((run, args) => {
  if (Array.isArray(args[0])) {
    throw new TypeError("the input is an array");
  }
  return run(...args);
});
