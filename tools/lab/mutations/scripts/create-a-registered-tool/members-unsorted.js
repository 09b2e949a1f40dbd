// The members of a listed tool are created in the order of their definition.
// Breaks: step 2
// Noticed by: get-tools.https.html

change_listed((tool) => {
  const members = ["name", "title", "description", "inputSchema", "window", "origin", "annotations"];
  return Object.fromEntries(members.filter((member) => member in tool).map((member) => [member, tool[member]]));
});
