// The value null becomes the empty string.
// Breaks: step 4
// Noticed by: execute-input-text.https.html

change_values((value, members) => (kind_of(members) === "text" && members.length > 0 && value === null ? "" : value));
