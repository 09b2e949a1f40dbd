// toolactivated is not trusted, as if a script had dispatched it.
// Breaks: step 7
// Noticed by: toolactivated.https.html

intercept("toolactivated", (event) => {
  drop(event);
  dispatch("toolactivated", { toolName: event.toolName });
});
