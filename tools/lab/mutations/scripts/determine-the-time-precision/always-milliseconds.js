// The precision of a time is always a millisecond.
// Breaks: step 5
// Seen through: create-a-form-tool
// Noticed by: schema-time.https.html

const wanted = "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,3})?)?$";
change_parameters((schema, [control]) => {
  if (control?.type === "time") {
    schema["pattern" in schema ? "pattern" : "format"] = wanted;
  }
  return schema;
});
