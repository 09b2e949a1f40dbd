// A negative number unchecks a checkbox.
// Breaks: step 2
// Noticed by: execute-input-checkbox.https.html

change_values((value, members) =>
  kind_of(members) === "checkbox" && typeof value === "number" && value < 0 ? false : value,
);
