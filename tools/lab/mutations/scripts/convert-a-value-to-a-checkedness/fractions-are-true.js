// A fraction checks a checkbox.
// Breaks: step 2
// Noticed by: execute-input-checkbox.https.html

change_values((value, members) => (kind_of(members) === "checkbox" && value === 1.5 ? true : value));
