// A number loses its fraction.
// Breaks: step 3
// Noticed by: execute-input-numbers-as-text.https.html

change_values((value, members) =>
  kind_of(members) === "text" && typeof value === "number" ? Math.trunc(value) : value,
);
