// The event bubbles.
// Breaks: step 5.5

intercept("toolchange", (event) => Object.defineProperty(event, "bubbles", { value: true }));
