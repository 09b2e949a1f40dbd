// The parameters are sorted by their names.
// Breaks: step 2
// Seen through: create-a-form-tool
// Noticed by: schema-names.https.html

change_schemas((schema) => {
  schema.properties = Object.fromEntries(Object.entries(schema.properties).sort(([a], [b]) => (a < b ? -1 : 1)));
});
