// A text is a list with this one choice.
// Breaks: step 1
// Noticed by: execute-input-lists.https.html

change_values((value, members) =>
  ["checkboxes", "select-multiple"].includes(kind_of(members)) && typeof value === "string" ? [value] : value,
);
