// A select with the attribute readonly, which does not apply, takes no part.
// Breaks: step 2
// Seen through: create-a-form-tool
// Noticed by: schema-disabled.https.html

change_parameters((schema, [control]) => (control?.matches("select[readonly]") ? undefined : schema));
