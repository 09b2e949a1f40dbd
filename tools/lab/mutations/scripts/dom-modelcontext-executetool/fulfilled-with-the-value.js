// The promise is fulfilled with the value itself, and not with its JSON text.
// Breaks: step 20.4.1

replace_method("executeTool", (call, args) =>
  map(call(...args), (text) => {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }),
);
