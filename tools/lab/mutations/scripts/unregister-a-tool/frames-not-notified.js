// Only the document of the tool is notified when it is unregistered, and not those of the frames of the same origin.
// Breaks: step 6.1
// Noticed by: toolchange-frames.https.html

const to_drop = shared("to drop", () => new Map());
after_registration(({ signal }) => {
  signal?.addEventListener(
    "abort",
    () => {
      for (const other of reachable_windows()) {
        to_drop.set(other, (to_drop.get(other) ?? 0) + 1);
      }
    },
    { once: true },
  );
});
intercept("toolchange", (event) => {
  if (to_drop.get(self) > 0) {
    to_drop.set(self, to_drop.get(self) - 1);
    drop(event);
  }
});
