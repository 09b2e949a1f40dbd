// A form whose description is empty is no tool.
// Breaks: step 4
// Seen through: create-a-form-tool
// Noticed by: attributes.https.html

change_list((tools) => tools.filter((tool) => listed_form(tool)?.getAttribute("tooldescription") !== ""));
