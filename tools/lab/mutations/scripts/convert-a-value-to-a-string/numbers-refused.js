// A control for text takes no numbers.
// Breaks: step 3
// Noticed by: execute-input-text.https.html

change_values((value, members) =>
  kind_of(members) === "text" && members[0]?.type === "text" && typeof value === "number" ? REFUSED : value,
);
