// Of several labels the first one counts.
// Breaks: step 2
// Seen through: create-a-form-tool
// Noticed by: schema-labels.https.html

change_descriptions((description, [control]) =>
  control?.labels?.length > 1 && !control.getAttribute("toolparamdescription")
    ? [...control.labels].map((label) => label.textContent.trim()).find((text) => text !== "")
    : description,
);
