// An array may have repetitions.
// Breaks: step 4.5
// Seen through: create-a-form-tool
// Noticed by: schema-select-multiple.https.html

change_parameters(({ uniqueItems, ...schema }) => schema);
