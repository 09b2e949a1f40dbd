// A form in a shadow tree is no tool.
// Breaks: step 1
// Seen through: create-a-form-tool
// Noticed by: shadow-trees.https.html

const registered = track_tools();
change_list((tools) => tools.filter((tool) => tool.window !== self || registered.has(tool.name) || is_own_form(tool)));
