// A URL with more than an origin in it is a failure.
// Breaks: step 2.3

replace_origins((list) => {
  return list.some((text) => !/^\/?$/.test((URLS.parse(text)?.pathname ?? "") + (URLS.parse(text)?.search ?? "")))
    ? ["no URL"]
    : list;
});
