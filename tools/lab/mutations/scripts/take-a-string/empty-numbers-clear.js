// The empty string clears a number control.
// Breaks: step 2
// Noticed by: execute-input-number.https.html

change_values((value, members) => {
  if (members[0]?.type === "number" && value === "") {
    members[0].value = "";
    return undefined;
  }
  return value;
});
