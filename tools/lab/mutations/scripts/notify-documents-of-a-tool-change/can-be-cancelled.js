// The event can be cancelled.
// Breaks: step 6.6
// Noticed by: toolchange.https.html

intercept("toolchange", (event) => Object.defineProperty(event, "cancelable", { value: true }));
