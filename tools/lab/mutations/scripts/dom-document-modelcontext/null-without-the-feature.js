// The attribute is null where the document is not allowed to use the feature.
// Breaks: step 1
// Noticed by: permissions-policy-allowlist.https.html

redefine(Document.prototype, "modelContext", "get", (context, _args, call) => {
  const result = call();
  return context.featurePolicy.allowsFeature("tools") ? result : null;
});
