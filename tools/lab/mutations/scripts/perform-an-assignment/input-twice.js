// The event input is fired twice.
// Breaks: step 11
// Noticed by: execute-events.https.html

intercept_in_forms("input", (_event, _form, target) =>
  target.dispatchEvent(new Event("input", { bubbles: true, composed: true })),
);
