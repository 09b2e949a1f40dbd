// Where nothing is required there is no list.
// Breaks: step 5
// Seen through: create-a-form-tool
// Noticed by: attributes.https.html

change_schemas((schema) => {
  if (schema.required.length === 0) {
    delete schema.required;
  }
});
