// A reset that ends the call fires toolcancel.
// Breaks: step 2
// Noticed by: execute-cancel-reset.https.html

intercept_in_forms("reset", (_event, form) => {
  if (form.matches(":tool-form-active")) {
    queueMicrotask(() => dispatch("toolcancel", { toolName: form.getAttribute("toolname") }));
  }
});
