// Of several tools with the same name only the first is listed.
// Breaks: step 4.5.3

change_list((tools) => tools.filter((tool, index) => tools.findIndex((one) => one.name === tool.name) === index));
