// A single checkbox is an array of one value.
// Breaks: step 4
// Seen through: create-a-form-tool
// Noticed by: schema-checkbox.https.html

change_parameters((schema, [control]) => {
  if (schema.type !== "boolean") {
    return schema;
  }
  const items = { type: "string", anyOf: [{ type: "string", const: control.value }], enum: [control.value] };
  return { type: "array", items, uniqueItems: true };
});
