// The event input is not composed.
// Breaks: step 11
// Noticed by: execute-events.https.html

intercept_in_forms("input", (event) => Object.defineProperty(event, "composed", { value: false }));
