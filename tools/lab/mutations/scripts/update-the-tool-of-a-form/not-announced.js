// toolchange is not fired for a form that is inserted.
// Breaks: step 14.1
// Seen through: notify-documents-of-a-tool-change
// Noticed by: insertion.https.html

let to_drop = 0;
observe_tree({ childList: true }, (records) => {
  for (const node of records.flatMap((record) => [...record.addedNodes])) {
    if (
      node.isConnected &&
      node.matches?.("form[toolname][tooldescription]") &&
      is_name(node.getAttribute("toolname"))
    ) {
      ++to_drop;
    }
  }
});
intercept("toolchange", (event) => {
  if (to_drop > 0) {
    --to_drop;
    drop(event);
  }
});
