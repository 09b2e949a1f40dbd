// The member window is that of the document that lists the tool.
// Breaks: step 2
// Noticed by: get-tools-frames.https.html

change_listed((tool) => Object.assign(tool, { window: self }));
