// A text that is no date, time, month or week clears the control.
// Breaks: step 5
// Noticed by: execute-input-dates.https.html

change_values((value, members) => {
  if (!/^(date|time|month|week|datetime-local)$/.test(members[0]?.type) || typeof value !== "string") {
    return value;
  }
  const control = document.createElement("input");
  control.type = members[0].type;
  control.value = value;
  return control.value === "" ? "" : value;
});
