// The options in a group are no choices.
// Breaks: step 2.1
// Seen through: create-a-form-tool
// Noticed by: schema-optgroup.https.html

change_parameters((schema, [control]) => {
  const choices = schema.items ?? schema;
  if (control?.localName === "select" && choices.enum !== undefined) {
    const left_out = [...control.querySelectorAll("optgroup option")].map((option) => option.value);
    choices.enum = choices.enum.filter((value) => !left_out.includes(value));
    choices.anyOf = choices.anyOf.filter((one) => !left_out.includes(one.const));
  }
  return schema;
});
