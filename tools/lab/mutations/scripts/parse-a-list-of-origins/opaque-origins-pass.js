// A URL whose origin is opaque is left out, and no failure.
// Breaks: step 2.4

replace_origins((list) => list.filter((text) => URLS.parse(text)?.origin !== "null"));
