// Documents that are not allowed to use the feature are notified as well.
// Breaks: step 6.3
// Noticed by: permissions-policy.https.html

intercept("toolchange", () => {
  for (const other of reachable_windows()) {
    if (!other.document.featurePolicy.allowsFeature("tools")) {
      dispatch("toolchange", {}, other.document.modelContext);
    }
  }
});
