// The button does not get the focus.
// Breaks: step 16.1
// Noticed by: execute-focus.https.html

intercept_in_forms("focusin", (_event, form, target) => {
  if (target.type === "submit" && form.matches(":tool-form-active")) {
    target.blur();
  }
});
