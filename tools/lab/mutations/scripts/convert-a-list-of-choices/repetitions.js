// Repetitions in a list do not matter.
// Breaks: step 4.2
// Noticed by: execute-input-lists.https.html

change_values((value, members) =>
  kind_of(members) !== "text" && Array.isArray(value) && value.every((item) => !is_object(item) && item !== null)
    ? [...new Set(value.map(String))]
    : value,
);
