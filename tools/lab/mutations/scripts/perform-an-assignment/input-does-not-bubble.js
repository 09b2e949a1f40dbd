// The event input does not bubble.
// Breaks: step 11
// Noticed by: execute-events.https.html

intercept_in_forms("input", (event, _form, target) => {
  Object.defineProperty(event, "bubbles", { value: false });
  target.addEventListener("input", (same) => same.stopPropagation(), { once: true });
});
