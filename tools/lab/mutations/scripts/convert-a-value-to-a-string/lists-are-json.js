// A list or an object becomes its JSON text.
// Breaks: step 4
// Noticed by: execute-input-text.https.html

change_values((value, members) =>
  kind_of(members) === "text" && members.length > 0 && is_object(value) ? JSON.stringify(value) : value,
);
