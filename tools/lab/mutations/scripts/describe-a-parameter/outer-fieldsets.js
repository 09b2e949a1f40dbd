// Where the nearest fieldset of a group has no description, that of another around it counts.
// Breaks: step 1.2
// Seen through: create-a-form-tool
// Noticed by: schema-group-descriptions.https.html

change_descriptions((description, [control, ...others]) => {
  const outer = control?.closest("fieldset[toolparamdescription]:not([toolparamdescription=''])");
  return (
    description ??
    (others.length > 0 && others.every((one) => outer?.contains(one))
      ? outer?.getAttribute("toolparamdescription")
      : undefined)
  );
});
