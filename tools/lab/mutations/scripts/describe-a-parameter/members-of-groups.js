// Where the fieldset of a group has no description, that of the first member counts.
// Breaks: step 1.2
// Seen through: create-a-form-tool
// Noticed by: schema-group-descriptions.https.html

change_descriptions((description, [control, ...others]) =>
  others.length > 0 ? (description ?? control.getAttribute("toolparamdescription")) : description,
);
