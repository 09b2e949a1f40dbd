// A document in a frame does not see the tools of those that hold it, or of its siblings.
// Breaks: step 4
// Noticed by: exposure-nested.https.html

const is_below = (target) => target === self || (target !== target.parent && is_below(target.parent));
change_list((tools) => tools.filter((tool) => is_below(tool.window)));
