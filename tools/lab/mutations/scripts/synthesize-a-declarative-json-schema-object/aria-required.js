// The attribute aria-required counts.
// Breaks: step 4.6
// Seen through: create-a-form-tool
// Noticed by: schema-required.https.html

change_schemas((schema, form) => {
  for (const name of Object.keys(schema.properties)) {
    if (!schema.required.includes(name) && parameter_controls(form, name).some((one) => one.ariaRequired === "true")) {
      schema.required.push(name);
    }
  }
});
