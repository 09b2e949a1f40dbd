// The white space in the text of a label is collapsed.
// Breaks: step 2.2
// Seen through: create-a-form-tool
// Noticed by: schema-labels.https.html

change_descriptions((description, [control]) =>
  control?.labels?.length > 0 && !control.getAttribute("toolparamdescription")
    ? description?.replace(/\s+/g, " ")
    : description,
);
