// The toolName of toolcancel is empty.
// Breaks: step 7.7

intercept("toolcancel", (event) => Object.defineProperty(event, "toolName", { value: "" }));
