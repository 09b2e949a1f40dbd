// The checked attribute is set as well.
// Breaks: step 6.2
// Noticed by: execute-fill-state.https.html

intercept_in_forms("input", (_event, _form, target) => {
  if (target.type === "checkbox") {
    target.toggleAttribute("checked", target.checked);
  }
});
