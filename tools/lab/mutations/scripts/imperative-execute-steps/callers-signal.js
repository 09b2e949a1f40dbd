// Within one document the callback gets the caller's own signal, if it gave one.
// Breaks: step 8

note_calls();
wrap_callback((run, [input, options], name) => {
  const { signal = options.signal } = take_call(name);
  return run(input, { signal });
});
