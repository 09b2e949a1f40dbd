// Of several tools with the same name only the first is listed.
// Breaks: step 3.4.3

change_list((tools) => tools.filter((tool, index) => tools.findIndex((one) => one.name === tool.name) === index));
