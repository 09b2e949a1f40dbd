// What is a multiple of an integer is an integer.
// Breaks: step 1
// Seen through: create-a-form-tool
// Noticed by: schema-number.https.html

change_parameters((schema) => (Number.isInteger(schema.multipleOf) ? { ...schema, type: "integer" } : schema));
