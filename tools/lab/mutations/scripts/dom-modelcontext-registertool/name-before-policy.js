// Whether the name is valid is asked before whether the document may use the feature.
// Breaks: step 4
// Noticed by: register-tool-precedence.https.html

replace_method("registerTool", (call, args) => {
  const watched = watch_registration(args);
  return map(call(...watched.args), undefined, (reason) => {
    const is_valid = is_name(watched.seen.name);
    throw is_exception(reason, "NotAllowedError") && !is_valid
      ? new DOMException("not valid", "InvalidStateError")
      : reason;
  });
});
