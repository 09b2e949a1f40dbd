// An attribute that is changed and changed back in one task is a change.
// Breaks: step 7
// Seen through: notify-documents-of-a-tool-change
// Noticed by: attribute-changes.https.html

observe_tree({ attributeFilter: ["tooldescription"], attributeOldValue: true }, (records) => {
  const [{ target, oldValue }, ...others] = records;
  if (others.length > 0 && others[0].oldValue !== null && target.getAttribute("tooldescription") === oldValue) {
    later(() => {
      dispatch("toolchange");
      dispatch("toolchange");
    });
  }
});
