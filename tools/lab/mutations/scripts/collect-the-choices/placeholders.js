// An option with the empty value is no choice.
// Breaks: step 2.1.1
// Seen through: create-a-form-tool
// Noticed by: schema-select.https.html

change_parameters((schema, [control]) => {
  const choices = schema.items ?? schema;
  if (control?.localName === "select" && choices.enum !== undefined) {
    choices.enum = choices.enum.filter((value) => value !== "");
    choices.anyOf = choices.anyOf.filter((one) => one.const !== "");
  }
  return schema;
});
