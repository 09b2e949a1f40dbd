// Another value of a text control is a change of the tool.
// Breaks: step 1.1
// Seen through: notify-documents-of-a-tool-change
// Noticed by: control-changes.https.html

observe_tree({ attributeFilter: ["value"] }, (records) => {
  if (records.some(({ target }) => target.type === "text")) {
    later(() => {
      dispatch("toolchange");
      dispatch("toolchange");
    });
  }
});
