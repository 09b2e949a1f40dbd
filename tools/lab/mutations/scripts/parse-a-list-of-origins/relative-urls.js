// A relative URL is resolved against that of the document.
// Breaks: step 2.1

replace_origins((list) =>
  list.map((text) => (text !== "" && text.startsWith("/") ? (URLS.parse(text, location.href)?.href ?? text) : text)),
);
