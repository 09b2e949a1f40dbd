// The origin that the caller names is compared as a text, and not as the origin of a URL.
// Breaks: step 5
// Noticed by: execute-tool-origin.https.html

const elsewhere = "https://no-such-origin.example";
replace_method("executeTool", (call, args) => {
  const origin = (text) =>
    URL.canParse(text) && new URL(text).origin !== "null" && new URL(text).origin !== text ? elsewhere : text;
  return call(...watch_execution(args, { origin }).args);
});
