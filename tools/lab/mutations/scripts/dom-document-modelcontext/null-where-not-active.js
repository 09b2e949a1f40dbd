// The attribute is null where the document is not fully active.
// Breaks: step 1

redefine(Document.prototype, "modelContext", "get", (context, _args, call) => {
  const result = call();
  return context.defaultView === null ? null : result;
});
