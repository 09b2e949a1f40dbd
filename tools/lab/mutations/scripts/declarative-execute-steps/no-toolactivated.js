// The event toolactivated is not fired for forms.
// Breaks: step 14
// Noticed by: execute-toolactivated.https.html

intercept("toolactivated", (event) => {
  if (form_of({ name: event.toolName, window: self }) !== undefined) {
    drop(event);
  }
});
