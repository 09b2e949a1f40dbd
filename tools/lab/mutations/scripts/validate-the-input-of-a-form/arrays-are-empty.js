// An array is an input without values.
// Breaks: step 2
// Noticed by: execute-input-whole.https.html

change_input((values) => (Array.isArray(values) ? {} : values));
