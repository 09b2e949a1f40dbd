// toolactivated can be cancelled.
// Breaks: step 7

intercept("toolactivated", (event) => Object.defineProperty(event, "cancelable", { value: true }));
