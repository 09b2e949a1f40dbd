// Hints that are false are left out of the listed annotations.
// Breaks: step 4.2

change_listed((tool) => {
  if (tool.annotations !== undefined) {
    tool.annotations = Object.fromEntries(Object.entries(tool.annotations).filter(([, value]) => value));
  }
  return tool;
});
