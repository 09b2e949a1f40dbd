// A range has the limits that its attributes give, and no others.
// Breaks: step 2
// Seen through: create-a-form-tool
// Noticed by: schema-range.https.html

change_parameters((schema, [control]) => {
  if (control?.type === "range" && control.min === "") {
    delete schema.minimum;
  }
  return schema;
});
