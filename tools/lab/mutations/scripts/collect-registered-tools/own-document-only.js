// Only the tools of the document itself are listed.
// Breaks: step 4

change_list((tools) => tools.filter((tool) => tool.window === self));
