// The event input is not fired.
// Breaks: step 11
// Noticed by: execute-events.https.html

intercept_in_forms("input", drop);
