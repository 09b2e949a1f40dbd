// White space around a name in the input does not count.
// Breaks: step 5.1
// Noticed by: execute-input-names.https.html

change_input((values) =>
  Array.isArray(values)
    ? values
    : Object.fromEntries(Object.entries(values).map(([name, value]) => [name.trim(), value])),
);
