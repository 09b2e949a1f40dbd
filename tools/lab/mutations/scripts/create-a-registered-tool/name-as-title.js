// A tool without a title is listed with its name as the title.
// Breaks: step 1
// Noticed by: get-tools.https.html

change_listed((tool) => Object.assign(tool, { title: tool.title || tool.name }));
