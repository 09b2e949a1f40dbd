// Executing a tool that is not there is no failure; it has the result null.
// Breaks: step 7

const tools = track_tools();
replace_method("executeTool", (call, args) => {
  const { args: watched, seen } = watch_execution(args);
  const is_there = () => seen.window !== self || tools.has(text_of(seen.name));
  return map(call(...watched), undefined, (reason) => {
    if (
      is_exception(reason, "UnknownError") &&
      !is_there() &&
      URLS.parse(text_of(seen.origin))?.origin === location.origin
    ) {
      return null;
    }
    throw reason;
  });
});
