// A reset does not end the call of a form that waits for its user.
// Breaks: step 2
// Noticed by: execute-cancel-reset.https.html

intercept_in_forms("reset", (event, form) => {
  if (form.matches(":tool-form-active")) {
    event.preventDefault();
    for (const control of form.elements) {
      if ("defaultValue" in control) {
        control.value = control.defaultValue;
      }
    }
  }
});
