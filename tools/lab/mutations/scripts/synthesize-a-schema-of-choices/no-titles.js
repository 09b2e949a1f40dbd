// The alternatives have no titles.
// Breaks: step 2.2
// Seen through: create-a-form-tool
// Noticed by: schema-radio.https.html

change_parameters((schema) => {
  const choices = schema.items ?? schema;
  if (choices.anyOf !== undefined) {
    choices.anyOf = choices.anyOf.map(({ title, ...one }) => one);
  }
  return schema;
});
