// The maximum of a range stays where it is less than the minimum.
// Breaks: step 5
// Seen through: create-a-form-tool
// Noticed by: schema-range.https.html

change_parameters((schema, [control]) => {
  const maximum = Number(control?.max);
  return control?.type === "range" && control.max !== "" && maximum < schema.minimum ? { ...schema, maximum } : schema;
});
