// Whether the tool is exposed to a document of another origin is not asked: such a document is never notified.
// Breaks: step 6.4
// Noticed by: toolchange-frames.https.html

let own_changes = 0;
after_registration(() => {
  ++own_changes;
});
const is_foreign = self !== top && shared("a root", () => self) === self;
intercept("toolchange", (event) => {
  if (own_changes > 0) {
    --own_changes;
  } else if (is_foreign) {
    drop(event);
  }
});
