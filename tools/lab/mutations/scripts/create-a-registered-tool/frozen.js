// The listed objects are frozen.
// Breaks: step 5

change_listed((tool) => Object.freeze(tool));
