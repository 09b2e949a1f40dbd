// The event can be cancelled.
// Breaks: step 5.5

intercept("toolchange", (event) => Object.defineProperty(event, "cancelable", { value: true }));
