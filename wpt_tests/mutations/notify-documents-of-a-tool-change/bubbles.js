// The event bubbles.
// Breaks: step 5.5
// Noticed by: toolchange.https.html

intercept("toolchange", (event) => Object.defineProperty(event, "bubbles", { value: true }));
