// Names that the form does not have are skipped.
// Breaks: step 5.1
// Noticed by: execute-input-names.https.html

change_values((value, members) => (members.length === 0 ? undefined : value));
