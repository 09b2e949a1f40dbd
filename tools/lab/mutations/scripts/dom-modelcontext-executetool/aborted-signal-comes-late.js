// Whether the signal is aborted already is asked after the tool was looked up: where there is no such tool, that counts.
// Breaks: step 19.2
// Noticed by: execute-tool-precedence.https.html

replace_method("executeTool", (call, args, context) => {
  const { args: watched, seen, options } = watch_execution(args);
  return map(call(...watched), undefined, async (reason) => {
    if (
      is_signal(options.signal) &&
      options.signal.aborted &&
      reason === options.signal.reason &&
      seen.window === self
    ) {
      const tools = await context.getTools();
      if (!tools.some((tool) => tool.name === text_of(seen.name))) {
        throw new DOMException("no such tool", "UnknownError");
      }
    }
    throw reason;
  });
});
