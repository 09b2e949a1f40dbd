// A color is written in small letters.
// Breaks: step 1
// Noticed by: execute-input-colors.https.html

change_values((value, members) => (members[0]?.type === "color" && /[A-F]/.test(value) ? REFUSED : value));
