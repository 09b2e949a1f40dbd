// The event bubbles.
// Breaks: step 6.6
// Noticed by: toolchange.https.html

intercept("toolchange", (event) => Object.defineProperty(event, "bubbles", { value: true }));
