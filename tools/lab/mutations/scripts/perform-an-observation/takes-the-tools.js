// An observation, which an agent makes whenever a tool was executed, takes tools out of the map: no page sees the observation, but what getTools() lists no more.
// Breaks: step 5.3
// Seen through: dom-modelcontext-gettools

const taken = new Set();
replace_method("executeTool", (call, args) => {
  const { args: watched, seen } = watch_execution(args);
  const promise = call(...watched);
  map(
    promise,
    () => taken.add(text_of(seen.name)),
    () => {},
  );
  return promise;
});
after_registration(({ name }) => taken.delete(text_of(name)));
change_list((tools) => tools.filter((tool) => tool.window !== self || !taken.has(tool.name)));
