// Where no tool has the name, one whose name differs in case alone is taken.
// Breaks: step 7

replace_method("executeTool", (call, args, context) => {
  const { args: watched, seen } = watch_execution(args);
  return map(call(...watched), undefined, async (reason) => {
    const same = (tool) => tool.name !== seen.name && tool.name.toLowerCase() === text_of(seen.name).toLowerCase();
    const other = is_exception(reason, "UnknownError") && (await context.getTools()).find(same);
    if (other) {
      return call(other, ...watched.slice(1));
    }
    throw reason;
  });
});
