// toolcancel is fired twice for one execution.
// Breaks: step 7.7

intercept("toolcancel", ({ toolName }) => queueMicrotask(() => dispatch("toolcancel", { toolName })));
