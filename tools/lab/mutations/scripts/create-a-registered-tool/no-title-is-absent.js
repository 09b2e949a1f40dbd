// A tool without a title is listed without the member title.
// Breaks: step 1
// Noticed by: get-tools.https.html

change_listed(({ title, ...tool }) => {
  const listed = title === "" ? tool : { ...tool, title };
  return Object.fromEntries(Object.entries(listed).sort(([a], [b]) => (a < b ? -1 : 1)));
});
