// What cannot be parsed as a URL is left out, and no failure.
// Breaks: step 2.2

replace_origins((list) => list.filter((text) => URL.canParse(text)));
