// A choice may differ in case from the value.
// Breaks: step 4.2
// Noticed by: execute-input-choices.https.html

change_values((value, members) => {
  const of_item = (item) => choices_of(members).find((one) => one.toLowerCase() === String(item).toLowerCase()) ?? item;
  if (["checkbox", "text"].includes(kind_of(members)) || !(typeof value === "string" || Array.isArray(value))) {
    return value;
  }
  return Array.isArray(value) ? value.map(of_item) : of_item(value);
});
