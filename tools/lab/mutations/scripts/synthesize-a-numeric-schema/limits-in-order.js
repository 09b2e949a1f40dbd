// Of two limits of a number the greater one is the maximum.
// Breaks: step 4
// Seen through: create-a-form-tool
// Noticed by: schema-number.https.html

change_parameters((schema) => {
  if (schema.minimum > schema.maximum) {
    [schema.minimum, schema.maximum] = [schema.maximum, schema.minimum];
  }
  return schema;
});
