// In a frame of the same origin, the attribute gives the object of the document that holds it.
// Breaks: step 1

redefine(Document.prototype, "modelContext", "get", (_context, _args, call) => {
  const result = call();
  return shared("the top's", () => result);
});
