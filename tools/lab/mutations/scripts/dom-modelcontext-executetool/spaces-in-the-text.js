// The JSON text of the result is indented.
// Breaks: step 20.4.1
// Noticed by: execute-tool-inputs.https.html

replace_method("executeTool", (call, args) =>
  map(call(...args), (text) => {
    try {
      return JSON.stringify(JSON.parse(text), null, 2);
    } catch {
      return text;
    }
  }),
);
