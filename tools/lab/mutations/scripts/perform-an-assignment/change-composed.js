// The event change is composed.
// Breaks: step 12
// Noticed by: execute-events.https.html

intercept_in_forms("change", (event) => Object.defineProperty(event, "composed", { value: true }));
