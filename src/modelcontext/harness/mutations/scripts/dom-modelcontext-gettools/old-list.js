// The list is kept until toolchange is fired, so that a tool that was just registered or unregistered does not show.
// Breaks: step 10.1

const lists = new Map();
intercept("toolchange", () => lists.clear());
replace_method("getTools", (call, args) => {
  const { object, seen } = watch(args[0]);
  const promise = call(...(args.length > 0 ? [object] : []));
  const key = JSON.stringify(seen.fromOrigins?.map?.(String) ?? null);
  return map(promise, (tools) => {
    const known = lists.get(key) ?? tools;
    lists.set(key, known);
    return structuredCopy(known);
  });
});
const structuredCopy = (tools) => tools.map((tool) => ({ ...tool }));
