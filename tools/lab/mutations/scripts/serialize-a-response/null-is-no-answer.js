// The value null gives null.
// Breaks: step 3
// Noticed by: respond-with-values.https.html

change_outcome((result) => (result === "null" ? null : result));
