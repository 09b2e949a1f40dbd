// A form with the attribute hidden is no tool.
// Breaks: step 5
// Seen through: create-a-form-tool
// Noticed by: attributes.https.html

change_list((tools) => tools.filter((tool) => !listed_form(tool)?.hidden));
