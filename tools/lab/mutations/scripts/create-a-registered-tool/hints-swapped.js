// Two hints are mixed up: debugging and consequentialHint.
// Breaks: step 4.2
// Noticed by: annotations.https.html

change_listed((tool) => {
  if (tool.annotations !== undefined) {
    const { consequentialHint, debugging } = tool.annotations;
    Object.assign(tool.annotations, { consequentialHint: debugging, debugging: consequentialHint });
  }
  return tool;
});
