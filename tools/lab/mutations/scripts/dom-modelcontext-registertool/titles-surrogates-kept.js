// Lone surrogates in a title are kept, as if it were a DOMString.
// Breaks: Web IDL
// Noticed by: register-tool-strings.https.html

const tools = track_tools();
change_listed((tool) => {
  const title = tool.window === self && tools.get(tool.name)?.title;
  return typeof title === "string" ? Object.assign(tool, { title }) : tool;
});
