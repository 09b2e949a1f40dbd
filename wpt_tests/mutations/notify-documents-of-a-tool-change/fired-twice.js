// Every notified document gets the event twice.
// Breaks: step 5.5

intercept("toolchange", () => queueMicrotask(() => dispatch("toolchange")));
