// A form with a name and without a description is a tool.
// Breaks: step 4
// Seen through: create-a-form-tool
// Noticed by: not-a-tool.https.html

change_list((tools) => {
  const forms = [...document.querySelectorAll("form[toolname]:not([tooldescription])")];
  return [...tools, ...forms.filter((form) => is_name(form.getAttribute("toolname"))).map(tool_of_form)];
});
