// The toolName of toolactivated is empty.
// Breaks: step 7
// Noticed by: toolactivated.https.html

intercept("toolactivated", (event) => Object.defineProperty(event, "toolName", { value: "" }));
