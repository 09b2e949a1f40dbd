// Several text controls of one name are a string.
// Breaks: step 3.1
// Seen through: create-a-form-tool
// Noticed by: schema-names.https.html

add_strings((control, form) => {
  const controls = parameter_controls(form, control.name.trim());
  return controls.length > 1 && controls.every((one) => one.type === "text");
});
