// The tools are sorted document by document, and not all together.
// Breaks: step 5

change_list((tools) => {
  const windows = windows_of_the_tab();
  return [...tools].sort((a, b) => windows.indexOf(a.window) - windows.indexOf(b.window));
});
