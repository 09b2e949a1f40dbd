// The document of the tool is notified while abort() runs, and not in parallel.
// Breaks: step 6
// Noticed by: toolchange.https.html

let early = 0;
after_registration(({ signal }) => {
  signal?.addEventListener(
    "abort",
    () => {
      ++early;
      dispatch("toolchange");
    },
    { once: true },
  );
});
intercept("toolchange", (event) => {
  if (early > 0) {
    --early;
    drop(event);
  }
});
