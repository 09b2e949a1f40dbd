// The getter works on every object, and gives that of its own document.
// Breaks: step 1

redefine(Document.prototype, "modelContext", "get", (_context, _args, call) => {
  try {
    return call();
  } catch {
    return own;
  }
});
