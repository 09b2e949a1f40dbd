// The tool of a form that was removed stays in the list.
// Breaks: step 8
// Seen through: create-a-form-tool
// Noticed by: removal.https.html

const known = new Map();
change_list((tools) => {
  const gone = [...known.values()].filter((tool) => !tools.some((one) => one.name === tool.name));
  for (const tool of tools.filter(is_own_form)) {
    known.set(tool.name, tool);
  }
  return [...tools, ...gone];
});
