// The text of a label comes before toolparamdescription.
// Breaks: step 4
// Seen through: create-a-form-tool
// Noticed by: schema-descriptions.https.html

change_descriptions((description, [control, ...others]) =>
  control?.labels?.length > 0 && others.length === 0
    ? control.labels[0].textContent.trim() || description
    : description,
);
