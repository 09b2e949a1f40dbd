// A textarea takes no part.
// Breaks: step 4
// Seen through: create-a-form-tool
// Noticed by: schema-text.https.html

change_parameters((schema, [control]) => (control?.localName === "textarea" ? undefined : schema));
