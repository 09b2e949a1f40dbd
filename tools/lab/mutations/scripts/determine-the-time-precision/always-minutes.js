// The precision of a time is always a minute.
// Breaks: step 3
// Seen through: create-a-form-tool
// Noticed by: schema-time.https.html

const wanted = "^([01][0-9]|2[0-3]):[0-5][0-9]$";
change_parameters((schema, [control]) => {
  if (control?.type === "time") {
    schema["pattern" in schema ? "pattern" : "format"] = wanted;
  }
  return schema;
});
