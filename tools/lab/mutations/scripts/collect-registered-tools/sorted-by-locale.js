// The tools are sorted as people sort words, and not by code units.
// Breaks: step 5

change_list((tools) => [...tools].sort((a, b) => a.name.localeCompare(b.name, "en")));
