// The value of a radio button or checkbox without the attribute is empty.
// Breaks: step 3.1.1
// Seen through: create-a-form-tool
// Noticed by: schema-radio.https.html

change_parameters((schema, controls) => {
  const choices = schema.items ?? schema;
  if (choices.enum !== undefined && controls.some((one) => one.localName === "input" && !one.hasAttribute("value"))) {
    choices.enum = choices.enum.map((value) => (value === "on" ? "" : value));
    choices.anyOf = choices.anyOf.map((one) => (one.const === "on" ? { ...one, const: "" } : one));
  }
  return schema;
});
