// A password has no pattern.
// Breaks: step 6
// Seen through: create-a-form-tool
// Noticed by: schema-pattern.https.html

change_parameters((schema, [control]) => {
  if (control?.type === "password") {
    delete schema.pattern;
  }
  return schema;
});
