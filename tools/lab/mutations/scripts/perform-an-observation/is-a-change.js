// An observation, which an agent makes whenever a tool was executed, counts as a change of its tools: no page sees the observation, but toolchange is fired.
// Breaks: step 5.4
// Seen through: notify-documents-of-a-tool-change
// Noticed by: toolchange.https.html

replace_method("executeTool", (call, args) => {
  const promise = call(...args);
  map(
    promise,
    () => dispatch("toolchange"),
    () => {},
  );
  return promise;
});
