// Values that cannot be chosen are skipped.
// Breaks: step 4.2
// Noticed by: execute-input-lists.https.html

change_values((value, members) =>
  kind_of(members) !== "text" && Array.isArray(value)
    ? value.filter((item) => typeof item !== "string" || choices_of(members).includes(item))
    : value,
);
