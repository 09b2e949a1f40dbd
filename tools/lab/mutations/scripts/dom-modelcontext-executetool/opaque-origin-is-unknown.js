// An origin that is opaque is an UnknownError.
// Breaks: step 8
// Noticed by: execute-tool-origin.https.html

replace_method("executeTool", (call, args) => {
  const { args: watched, seen } = watch_execution(args);
  return map(call(...watched), undefined, (reason) => {
    const is_opaque = is_exception(reason, "NotSupportedError") && URL.canParse(text_of(seen.origin));
    throw is_opaque ? new DOMException("opaque", "UnknownError") : reason;
  });
});
