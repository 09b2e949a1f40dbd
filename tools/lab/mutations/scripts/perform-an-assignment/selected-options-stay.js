// Of a select with multiple the options that are selected already stay so.
// Breaks: step 7.1.4
// Noticed by: execute-input-lists.https.html

change_values((value, members) =>
  kind_of(members) === "select-multiple" && Array.isArray(value)
    ? [...value, ...chosen_of(members).filter((one) => !value.some((item) => String(item) === one))]
    : value,
);
