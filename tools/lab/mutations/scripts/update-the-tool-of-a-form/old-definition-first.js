// At the first of the two events of a change the old description is listed still.
// Breaks: step 11
// Seen through: create-a-form-tool
// Noticed by: attribute-changes.https.html

const known = new Map();
let events = 0;
intercept("toolchange", () => {
  ++events;
});
replace_method("getTools", (call, args) => {
  const now = events;
  return map(call(...args), (tools) =>
    tools.map((tool) => {
      const before = known.get(tool.name);
      if (!is_own_form(tool)) {
        return tool;
      }
      if (now - before?.events <= 1 && before.description !== tool.description) {
        return { ...tool, description: before.description };
      }
      known.set(tool.name, { description: tool.description, events: now });
      return tool;
    }),
  );
});
