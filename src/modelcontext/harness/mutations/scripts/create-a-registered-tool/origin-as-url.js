// The member origin is a URL, with a slash at its end.
// Breaks: step 2

change_listed((tool) => Object.assign(tool, { origin: `${tool.origin}/` }));
