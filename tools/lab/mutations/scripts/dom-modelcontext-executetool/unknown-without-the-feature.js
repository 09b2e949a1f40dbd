// In a document that is not allowed to use the feature, the promise is rejected with an UnknownError.
// Breaks: step 4
// Noticed by: permissions-policy-header.https.html

replace_method("executeTool", (call, args) =>
  map(call(...args), undefined, (reason) => {
    throw is_exception(reason, "NotAllowedError") ? new DOMException("not allowed", "UnknownError") : reason;
  }),
);
