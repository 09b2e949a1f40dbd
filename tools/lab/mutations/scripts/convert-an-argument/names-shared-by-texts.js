// Of several text controls of one name the first is filled in.
// Breaks: step 1
// Noticed by: execute-input-names.https.html

change_values((value, members) => {
  if (members.length > 1 && members.every((one) => one.type === "text")) {
    members[0].value = value;
    return undefined;
  }
  return value;
});
