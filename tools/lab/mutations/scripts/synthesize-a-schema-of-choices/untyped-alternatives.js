// The alternatives do not say that they are strings.
// Breaks: step 2.1
// Seen through: create-a-form-tool
// Noticed by: schema-radio.https.html

change_parameters((schema) => {
  const choices = schema.items ?? schema;
  if (choices.anyOf !== undefined) {
    choices.anyOf = choices.anyOf.map(({ type, ...one }) => one);
  }
  return schema;
});
