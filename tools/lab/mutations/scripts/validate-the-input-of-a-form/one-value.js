// Only the first value of the input is filled in.
// Breaks: step 5
// Noticed by: execute-input-names.https.html

change_input((values) => (Array.isArray(values) ? values : Object.fromEntries(Object.entries(values).slice(0, 1))));
