// A tool that cannot be found is a NotFoundError.
// Breaks: step 21.2.1
// Noticed by: toolactivated.https.html

replace_method("executeTool", (call, args, context) => {
  const { args: watched, seen } = watch_execution(args);
  return map(call(...watched), undefined, async (reason) => {
    const is_there = async () => (await context.getTools()).some((tool) => tool.name === seen.name);
    throw is_exception(reason, "UnknownError") && !(await is_there())
      ? new DOMException("no such tool", "NotFoundError")
      : reason;
  });
});
