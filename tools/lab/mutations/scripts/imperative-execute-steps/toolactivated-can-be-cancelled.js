// toolactivated can be cancelled.
// Breaks: step 7
// Noticed by: toolactivated.https.html

intercept("toolactivated", (event) => Object.defineProperty(event, "cancelable", { value: true }));
