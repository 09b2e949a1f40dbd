// A single checkbox takes a list of one value.
// Breaks: step 4.1
// Noticed by: execute-input-checkbox.https.html

change_values((value, members) =>
  kind_of(members) === "checkbox" && Array.isArray(value) ? (value[0] ?? null) : value,
);
