// White space around a name does not make it invalid.
// Breaks: step 5
// Seen through: create-a-form-tool
// Noticed by: tool-names.https.html

change_list((tools) => {
  const forms = [...document.querySelectorAll("form[toolname][tooldescription]")].filter((form) => {
    const name = form.getAttribute("toolname");
    return name !== name.trim() && is_name(name.trim());
  });
  return [...tools, ...forms.map(tool_of_form)];
});
