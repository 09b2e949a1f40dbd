// The value attribute is set as well.
// Breaks: step 9.2
// Noticed by: execute-fill-state.https.html

intercept_in_forms("input", (_event, _form, target) => {
  if (target.localName === "input" && target.type === "text") {
    target.setAttribute("value", target.value);
  }
});
