// Every notified document gets the event twice.
// Breaks: step 6.6

intercept("toolchange", () => queueMicrotask(() => dispatch("toolchange")));
