// Other documents still list a tool that was unregistered, for as long as its document is there.
// Breaks: step 5
// Seen through: dom-modelcontext-gettools, collect-registered-tools
// Noticed by: get-tools-frames.https.html

let seen = [];
change_list((tools) => {
  const gone = seen.filter(
    (old) => old.window !== self && !tools.some((tool) => tool.name === old.name && tool.window === old.window),
  );
  seen = [...tools, ...gone.filter((tool) => !tool.window.closed && windows_of_the_tab().includes(tool.window))];
  return [...seen].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
});
