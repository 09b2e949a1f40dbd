// The schema says that it has no other properties.
// Breaks: step 5
// Seen through: create-a-form-tool
// Noticed by: attributes.https.html

change_schemas((schema) => {
  schema.additionalProperties = false;
});
