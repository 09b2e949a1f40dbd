// The values are given once only, by enum.
// Breaks: step 3
// Seen through: create-a-form-tool
// Noticed by: schema-radio.https.html

change_parameters((schema) => {
  const choices = schema.items ?? schema;
  delete choices.anyOf;
  return schema;
});
