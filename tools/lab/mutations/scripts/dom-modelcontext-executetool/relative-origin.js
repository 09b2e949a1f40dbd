// The origin of the tool is parsed against the URL of the document.
// Breaks: step 5
// Noticed by: execute-tool-precedence.https.html

replace_method("executeTool", (call, args) => {
  const origin = (text) => (text === "" || (typeof text === "string" && text.startsWith("/")) ? location.origin : text);
  return call(...watch_execution(args, { origin }).args);
});
