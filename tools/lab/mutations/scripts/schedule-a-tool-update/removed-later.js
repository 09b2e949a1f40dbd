// The tool of a form that is removed is listed until toolchange is fired.
// Breaks: step 1.1
// Seen through: create-a-form-tool
// Noticed by: removal.https.html

const known = new Map();
intercept("toolchange", () => known.clear());
replace_method("getTools", (call, args) => {
  const before = [...known.values()];
  return map(call(...args), (tools) => {
    for (const tool of tools.filter(is_own_form)) {
      known.set(tool.name, tool);
    }
    return [...tools, ...before.filter((tool) => !tools.some((one) => one.name === tool.name))];
  });
});
