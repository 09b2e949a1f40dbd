// toolactivated is fired twice for one execution.
// Breaks: step 7

intercept("toolactivated", ({ toolName }) => queueMicrotask(() => dispatch("toolactivated", { toolName })));
