// The member origin is that of the document that lists the tool.
// Breaks: step 2
// Noticed by: execute-tool-cross-origin.https.html

change_listed((tool) => Object.assign(tool, { origin: location.origin }));
