// A select with multiple is one of its values, as any other.
// Breaks: step 4.4
// Seen through: create-a-form-tool
// Noticed by: schema-select-multiple.https.html

change_parameters((schema, [control]) => (control?.multiple && schema.items ? schema.items : schema));
