// The value null unchecks a checkbox.
// Breaks: step 5
// Noticed by: execute-input-checkbox.https.html

change_values((value, members) => (kind_of(members) === "checkbox" && value === null ? false : value));
