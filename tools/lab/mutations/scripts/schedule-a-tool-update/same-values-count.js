// Setting an attribute of a form to the value that it has is a change.
// Breaks: step 5
// Seen through: notify-documents-of-a-tool-change
// Noticed by: attribute-changes.https.html

observe_tree({ attributeFilter: ["toolname", "tooldescription"], attributeOldValue: true }, (records) => {
  for (const { target, attributeName, oldValue } of records) {
    if (target.localName === "form" && records.length === 1 && target.getAttribute(attributeName) === oldValue) {
      later(() => {
        dispatch("toolchange");
        dispatch("toolchange");
      });
    }
  }
});
