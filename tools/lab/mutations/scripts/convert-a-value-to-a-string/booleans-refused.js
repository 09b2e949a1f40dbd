// A control for text takes no booleans.
// Breaks: step 2
// Noticed by: execute-input-text.https.html

change_values((value, members) =>
  kind_of(members) === "text" && members[0]?.type === "text" && typeof value === "boolean" ? REFUSED : value,
);
