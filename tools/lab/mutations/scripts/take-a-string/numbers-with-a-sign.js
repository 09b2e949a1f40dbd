// A number may have a plus sign.
// Breaks: step 2
// Noticed by: execute-input-number.https.html

change_values((value, members) => (members[0]?.type === "number" && value === "+5" ? "5" : value));
