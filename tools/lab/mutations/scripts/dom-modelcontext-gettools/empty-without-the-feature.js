// In a document that is not allowed to use the feature, the promise is fulfilled with an empty list.
// Breaks: step 4
// Noticed by: permissions-policy-allowlist.https.html

replace_method("getTools", (call, args) =>
  map(call(...args), undefined, (reason) => {
    if (is_exception(reason, "NotAllowedError")) {
      return [];
    }
    throw reason;
  }),
);
