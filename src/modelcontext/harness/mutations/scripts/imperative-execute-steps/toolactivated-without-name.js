// The toolName of toolactivated is empty.
// Breaks: step 7

intercept("toolactivated", (event) => Object.defineProperty(event, "toolName", { value: "" }));
