// A name that becomes free is given to another form that has it.
// Breaks: step 8
// Seen through: create-a-form-tool
// Noticed by: same-names.https.html

change_list((tools) => {
  const forms = [...document.querySelectorAll("form[toolname][tooldescription]")].filter((form) => {
    const name = form.getAttribute("toolname");
    return is_name(name) && !tools.some((tool) => tool.name === name && tool.window === self);
  });
  return [...tools, ...forms.map(tool_of_form)];
});
