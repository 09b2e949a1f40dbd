// A tool that was unregistered after it was called, and before its task runs, does not fail; the promise is fulfilled with null.
// Breaks: step 2.1.1
// Seen through: dom-modelcontext-executetool
// Noticed by: execute-tool-unregister.https.html

const tools = track_tools();
replace_method("executeTool", (call, args) => {
  const { args: watched, seen } = watch_execution(args);
  const promise = call(...watched);
  const tool = seen.window === self ? tools.get(text_of(seen.name)) : undefined;
  return map(promise, undefined, (reason) => {
    if (is_exception(reason, "UnknownError") && tool?.signal?.aborted && !tools.has(text_of(seen.name))) {
      return null;
    }
    throw reason;
  });
});
