// toolactivated is not fired.
// Breaks: step 7
// Noticed by: toolactivated.https.html

intercept("toolactivated", drop);
