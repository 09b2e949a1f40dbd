// White space around the name of a control is not stripped.
// Breaks: step 2.3
// Seen through: create-a-form-tool
// Noticed by: schema-names.https.html

change_schemas((schema, form) => {
  const rename = (name) => parameter_controls(form, name)[0]?.name ?? name;
  const entries = Object.entries(schema.properties).map(([name, parameter]) => [rename(name), parameter]);
  schema.properties = Object.fromEntries(entries);
  schema.required = schema.required.map(rename);
});
