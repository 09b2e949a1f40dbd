// A checkbox takes no text.
// Breaks: step 3
// Noticed by: execute-input-checkbox.https.html

change_values((value, members) => (kind_of(members) === "checkbox" && typeof value === "string" ? REFUSED : value));
