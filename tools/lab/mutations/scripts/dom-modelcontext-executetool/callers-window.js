// Whatever the window of the tool, it is looked for in the caller's document, if that has one of this name.
// Breaks: step 16
// Noticed by: execute-tool-frames.https.html

const tools = track_tools();
replace_method("executeTool", (call, args) => {
  const target = (value, seen) => (is_object(value) && tools.has(seen.name) ? self : value);
  return call(...watch_execution(args, { window: target }).args);
});
