// The text "on" checks a checkbox.
// Breaks: step 5
// Noticed by: execute-input-checkbox.https.html

change_values((value, members) => (kind_of(members) === "checkbox" && value === "on" ? true : value));
