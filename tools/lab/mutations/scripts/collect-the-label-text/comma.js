// The texts of several labels are joined by a comma.
// Breaks: step 3
// Seen through: create-a-form-tool
// Noticed by: schema-labels.https.html

change_descriptions((description, [control]) =>
  control?.labels?.length > 1 ? description?.replaceAll("; ", ", ") : description,
);
