// Only the first string is parsed; whatever follows it has no effect, not even where it is no URL.
// Breaks: step 2

replace_origins((list) => list.slice(0, 1));
