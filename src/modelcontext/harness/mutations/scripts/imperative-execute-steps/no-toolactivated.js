// toolactivated is not fired.
// Breaks: step 7

intercept("toolactivated", drop);
