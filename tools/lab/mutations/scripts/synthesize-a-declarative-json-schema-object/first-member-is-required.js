// Of several controls of one name only the first makes the parameter required.
// Breaks: step 4.6
// Seen through: create-a-form-tool
// Noticed by: schema-checkboxes.https.html

change_schemas((schema, form) => {
  schema.required = schema.required.filter((name) => parameter_controls(form, name)[0]?.required ?? true);
});
