// White space around toolparamdescription is stripped.
// Breaks: step 3
// Seen through: create-a-form-tool
// Noticed by: schema-descriptions.https.html

change_descriptions((description, controls) =>
  controls.some((one) => one.getAttribute("toolparamdescription") === description) ? description?.trim() : description,
);
