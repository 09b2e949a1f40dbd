// What the callback throws, or rejects with, is what the caller's promise is rejected with.
// Breaks: step 12.b.4.1
// Noticed by: execute-tool-unhandled.https.html

note_calls((promise, call) =>
  map(promise, undefined, (reason) => {
    throw "thrown" in call ? call.thrown : reason;
  }),
);
wrap_callback(async (run, args, name) => {
  const call = take_call(name);
  try {
    return await run(...args);
  } catch (thrown) {
    call.thrown = thrown;
    throw thrown;
  }
});
