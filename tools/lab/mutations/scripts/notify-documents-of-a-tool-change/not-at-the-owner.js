// The document that registers a tool is not notified itself.
// Breaks: step 6

let expected = 0;
after_registration(() => {
  ++expected;
});
intercept("toolchange", (event) => {
  if (expected > 0) {
    --expected;
    drop(event);
  }
});
