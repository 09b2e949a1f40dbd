// The schema of a form with toolautosubmit says that a call submits it.
// Breaks: step 7
// Seen through: create-a-registered-tool
// Noticed by: attributes.https.html

change_schemas((schema, form) => {
  if (form.hasAttribute("toolautosubmit")) {
    schema.submits = true;
  }
});
