// toolactivated is not trusted, as if a script had dispatched it.
// Breaks: step 7

intercept("toolactivated", (event) => {
  drop(event);
  dispatch("toolactivated", { toolName: event.toolName });
});
