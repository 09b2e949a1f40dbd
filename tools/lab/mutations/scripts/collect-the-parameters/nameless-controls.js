// A control without a name takes no part.
// Breaks: step 2.2
// Seen through: create-a-form-tool
// Noticed by: schema-names.https.html

change_schemas((schema) => {
  delete schema.properties[""];
});
