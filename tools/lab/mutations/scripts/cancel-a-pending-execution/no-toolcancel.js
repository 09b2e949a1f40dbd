// toolcancel is not fired.
// Breaks: step 7.7

intercept("toolcancel", drop);
