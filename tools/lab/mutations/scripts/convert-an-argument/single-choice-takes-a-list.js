// Radio buttons and a select take a list of one value.
// Breaks: step 6.1
// Noticed by: execute-input-choices.https.html

change_values((value, members) =>
  ["radio", "select-one"].includes(kind_of(members)) && Array.isArray(value) ? (value[0] ?? null) : value,
);
