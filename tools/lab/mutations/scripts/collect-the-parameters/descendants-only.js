// Controls that are not in the form do not belong to it.
// Breaks: step 2
// Seen through: create-a-form-tool
// Noticed by: form-attribute.https.html

change_parameters((schema, controls, form) =>
  controls.every((control) => form.contains(control)) ? schema : undefined,
);
