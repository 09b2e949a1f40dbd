// A form in the contents of a template is a tool.
// Breaks: step 2
// Seen through: create-a-form-tool
// Noticed by: inert-documents.https.html

change_list((tools) => {
  const forms = [...document.querySelectorAll("template")].flatMap((template) => [
    ...template.content.querySelectorAll("form[toolname][tooldescription]"),
  ]);
  return [...tools, ...forms.map(tool_of_form)];
});
