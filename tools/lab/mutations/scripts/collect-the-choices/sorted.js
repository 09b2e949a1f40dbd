// The choices are sorted by their values.
// Breaks: step 4
// Seen through: create-a-form-tool
// Noticed by: schema-select.https.html

change_parameters((schema) => {
  const choices = schema.items ?? schema;
  choices.enum?.sort();
  choices.anyOf?.sort((a, b) => (a.const < b.const ? -1 : 1));
  return schema;
});
