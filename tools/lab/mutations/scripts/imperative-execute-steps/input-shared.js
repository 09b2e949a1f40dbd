// Within one document the callback gets the caller's own object, and no copy of it.
// Breaks: step 4
// Noticed by: execute-tool-inputs.https.html

note_calls();
wrap_callback((run, [input, options], name) => {
  const { input: given = input } = take_call(name);
  return run(given, options);
});
