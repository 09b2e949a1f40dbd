// A form whose attributes change is one event, and not two.
// Breaks: step 7
// Seen through: notify-documents-of-a-tool-change
// Noticed by: attribute-changes.https.html

let to_drop = 0;
observe_tree({ attributeFilter: ["tooldescription"], attributeOldValue: true }, ([{ target, oldValue }, ...others]) => {
  const description = target.getAttribute("tooldescription");
  if (others.length === 0 && target.isConnected && ![description, null].includes(oldValue) && description !== null) {
    to_drop = 1;
  }
});
intercept("toolchange", (event) => {
  if (to_drop > 0) {
    --to_drop;
    drop(event);
  }
});
