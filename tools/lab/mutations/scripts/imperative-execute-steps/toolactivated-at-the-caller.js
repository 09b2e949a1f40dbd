// toolactivated is fired at the caller's ModelContext.
// Breaks: step 7
// Noticed by: toolactivated.https.html

intercept("toolactivated", (event) => {
  const call = shared("calls", () => []).find((entry) => entry.name === event.toolName && entry.target === self);
  if (call !== undefined && call.caller !== own) {
    drop(event);
    dispatch("toolactivated", { toolName: event.toolName }, call.caller);
  }
});
note_calls((promise, call) => {
  call.caller = own;
  return promise;
});
