// toolchange is not fired for a form that is removed.
// Breaks: step 8
// Seen through: notify-documents-of-a-tool-change
// Noticed by: removal.https.html

let to_drop = 0;
observe_tree({ childList: true }, (records) => {
  for (const node of records.flatMap((record) => [...record.removedNodes])) {
    if (!node.isConnected && node.matches?.("form[toolname][tooldescription]")) {
      to_drop = 1;
    }
  }
});
intercept("toolchange", (event) => {
  if (to_drop > 0) {
    --to_drop;
    drop(event);
  }
});
