// The text of a label includes that of the controls in it.
// Breaks: step 2.1
// Seen through: create-a-form-tool
// Noticed by: schema-labels.https.html

change_descriptions((description, [control, ...others]) =>
  control?.labels?.length === 1 && others.length === 0 && !control.getAttribute("toolparamdescription")
    ? control.labels[0].textContent.trim() || description
    : description,
);
