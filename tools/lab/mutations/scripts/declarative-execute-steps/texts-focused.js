// Each control that is filled in gets the focus.
// Breaks: step 12.1
// Noticed by: execute-focus.https.html

intercept_in_forms("input", (_event, _form, target) => target.focus());
