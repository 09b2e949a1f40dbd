// The words for a checkbox are compared with case.
// Breaks: step 3
// Noticed by: execute-input-checkbox.https.html

change_values((value, members) => (kind_of(members) === "checkbox" && /^(TRUE|False)$/.test(value) ? REFUSED : value));
