// What changes in the controls of a form does not change its schema.
// Breaks: step 1
// Seen through: create-a-form-tool
// Noticed by: control-changes.https.html

const schemas = new WeakMap();
change_listed((tool) => {
  const form = listed_form(tool);
  if (form === undefined) {
    return tool;
  }
  if (!schemas.has(form)) {
    schemas.set(form, JSON.stringify(tool.inputSchema));
  }
  return { ...tool, inputSchema: JSON.parse(schemas.get(form)) };
});
