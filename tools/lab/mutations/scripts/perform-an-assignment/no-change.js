// The event change is not fired.
// Breaks: step 12
// Noticed by: execute-events.https.html

intercept_in_forms("change", drop);
