// A number is no choice, even if its digits are one.
// Breaks: step 4.1
// Noticed by: execute-input-lists.https.html

change_values((value, members) =>
  ["checkboxes", "select-multiple"].includes(kind_of(members)) &&
  Array.isArray(value) &&
  value.some((item) => typeof item === "number")
    ? REFUSED
    : value,
);
