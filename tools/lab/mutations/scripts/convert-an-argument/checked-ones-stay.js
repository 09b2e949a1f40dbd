// Of a group of checkboxes those that are checked already stay so.
// Breaks: step 5.5.1
// Noticed by: execute-input-lists.https.html

change_values((value, members) =>
  kind_of(members) === "checkboxes" && Array.isArray(value)
    ? [...value, ...chosen_of(members).filter((one) => !value.some((item) => String(item) === one))]
    : value,
);
