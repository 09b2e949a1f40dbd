// The schema is serialized twice.
// Breaks: step 11.1
// Noticed by: register-tool-member-order.https.html

replace_in_registration({
  inputSchema: (schema) => (is_object(schema) ? same_text(schema, () => JSON.stringify(schema)) : schema),
});
