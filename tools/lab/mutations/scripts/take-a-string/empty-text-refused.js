// The empty string is no value.
// Breaks: step 3
// Noticed by: execute-input-text.https.html

change_values((value, members) => (kind_of(members) === "text" && value === "" ? REFUSED : value));
