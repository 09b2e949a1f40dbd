// An origin that is no URL is an UnknownError.
// Breaks: step 6
// Noticed by: execute-tool-precedence.https.html

replace_method("executeTool", (call, args) => {
  const { args: watched, seen } = watch_execution(args);
  return map(call(...watched), undefined, (reason) => {
    const is_wrong = is_exception(reason, "NotSupportedError") && !URL.canParse(text_of(seen.origin));
    throw is_wrong ? new DOMException("no URL", "UnknownError") : reason;
  });
});
