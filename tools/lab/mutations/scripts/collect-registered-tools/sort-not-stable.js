// Tools with the same name are listed in the reverse order of the navigables.
// Breaks: step 5

change_list((tools) => {
  const names = [...new Set(tools.map((tool) => tool.name))];
  return names.flatMap((name) => tools.filter((tool) => tool.name === name).reverse());
});
