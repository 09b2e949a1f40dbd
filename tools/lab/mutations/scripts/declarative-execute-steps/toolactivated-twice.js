// The event toolactivated is fired twice for forms.
// Breaks: step 14
// Noticed by: execute-toolactivated.https.html

intercept("toolactivated", ({ toolName }) => {
  if (form_of({ name: toolName, window: self }) !== undefined) {
    queueMicrotask(() => dispatch("toolactivated", { toolName }));
  }
});
