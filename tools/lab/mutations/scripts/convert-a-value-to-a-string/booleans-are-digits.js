// A boolean becomes the digit 1 or 0.
// Breaks: step 2
// Noticed by: execute-input-text.https.html

change_values((value, members) =>
  kind_of(members) === "text" && typeof value === "boolean" ? String(Number(value)) : value,
);
