// A maximum with seconds makes the precision of a time a second.
// Breaks: step 2
// Seen through: create-a-form-tool
// Noticed by: schema-time.https.html

change_parameters((schema, [control]) => {
  if (control?.type === "time" && control.max !== "") {
    schema["pattern" in schema ? "pattern" : "format"] = "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$";
  }
  return schema;
});
