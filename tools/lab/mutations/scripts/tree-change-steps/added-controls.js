// A control that is added to a form later takes no part.
// Breaks: step 1.1
// Seen through: create-a-form-tool
// Noticed by: form-attribute.https.html

const controls = new WeakMap();
change_schemas((schema, form) => {
  if (!controls.has(form)) {
    controls.set(form, new Set(form.elements));
  }
  for (const name of Object.keys(schema.properties)) {
    if (parameter_controls(form, name).some((one) => !controls.get(form).has(one))) {
      delete schema.properties[name];
    }
  }
});
