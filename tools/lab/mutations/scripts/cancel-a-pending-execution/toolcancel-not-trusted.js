// toolcancel is not trusted, as if a script had dispatched it.
// Breaks: step 7.7

intercept("toolcancel", (event) => {
  drop(event);
  dispatch("toolcancel", { toolName: event.toolName });
});
