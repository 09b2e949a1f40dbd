// A textarea has a pattern, though the attribute does not apply.
// Breaks: step 6
// Seen through: create-a-form-tool
// Noticed by: schema-text.https.html

change_parameters((schema, [control]) =>
  control?.matches("textarea[pattern]") ? { ...schema, pattern: control.getAttribute("pattern") } : schema,
);
