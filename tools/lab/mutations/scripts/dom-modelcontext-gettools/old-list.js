// The list is kept until toolchange is fired, so that a tool that was just registered or unregistered does not show.
// Breaks: step 10.1
// Noticed by: input-schema-copies.https.html

const lists = new Map();
intercept("toolchange", () => lists.clear());
replace_method("getTools", (call, args) => {
  const { object, seen } = watch(args[0]);
  const promise = call(...(args.length > 0 ? [object] : []));
  const key = JSON.stringify(seen.fromOrigins?.map?.(String) ?? null);
  const known = lists.get(key);
  return map(promise, (tools) => {
    if (known !== undefined) {
      return known.map((tool) => ({ ...tool }));
    }
    lists.set(
      key,
      tools.map((tool) => ({ ...tool })),
    );
    return tools;
  });
});
