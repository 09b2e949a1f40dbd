// The member window is that of the document that lists the tool.
// Breaks: step 2

change_listed((tool) => Object.assign(tool, { window: self }));
