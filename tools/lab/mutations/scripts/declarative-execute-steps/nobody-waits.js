// A form is submitted whether it has toolautosubmit or not.
// Breaks: step 16
// Noticed by: execute-waiting.https.html

intercept("toolactivated", ({ toolName }) => {
  const form = form_of({ name: toolName, window: self });
  if (form?.matches(":tool-form-active") && !form.hasAttribute("toolautosubmit")) {
    queueMicrotask(() => form.requestSubmit());
  }
});
