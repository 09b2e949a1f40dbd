// The member origin is a URL, with a slash at its end.
// Breaks: step 2
// Noticed by: get-tools.https.html

change_listed((tool) => Object.assign(tool, { origin: `${tool.origin}/` }));
