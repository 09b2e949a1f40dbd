// The text "0" checks a checkbox, as text that is not empty.
// Breaks: step 4
// Noticed by: execute-input-checkbox.https.html

change_values((value, members) => (kind_of(members) === "checkbox" && value === "0" ? true : value));
