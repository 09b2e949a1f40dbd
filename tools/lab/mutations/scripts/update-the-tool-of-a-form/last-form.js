// Of two forms of one name the last one in the tree is listed.
// Breaks: step 10
// Seen through: create-a-form-tool
// Noticed by: same-names.https.html

change_listed((tool) => {
  const forms = [...document.querySelectorAll("form[toolname]")].filter(
    (one) => one.getAttribute("toolname") === tool.name,
  );
  const last = forms.at(-1)?.getAttribute("tooldescription");
  return tool.window === self && forms.length > 1 && last ? { ...tool, description: last } : tool;
});
