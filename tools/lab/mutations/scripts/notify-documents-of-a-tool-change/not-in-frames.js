// Only the top-level document is notified, and not those of its frames.
// Breaks: step 6
// Noticed by: toolchange-frames.https.html

intercept("toolchange", (event) => {
  if (self !== top) {
    drop(event);
  }
});
