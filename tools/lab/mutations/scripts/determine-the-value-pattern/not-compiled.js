// A pattern is there though it does not compile.
// Breaks: step 8
// Seen through: create-a-form-tool
// Noticed by: schema-pattern.https.html

change_parameters((schema, [control]) =>
  control?.type === "text" && control.pattern ? { ...schema, pattern: schema.pattern ?? control.pattern } : schema,
);
