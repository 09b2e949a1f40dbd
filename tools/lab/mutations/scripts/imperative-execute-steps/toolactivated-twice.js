// toolactivated is fired twice for one execution.
// Breaks: step 7
// Noticed by: toolactivated.https.html

intercept("toolactivated", ({ toolName }) => queueMicrotask(() => dispatch("toolactivated", { toolName })));
