// An origin that is not potentially trustworthy is left out, and no failure.
// Breaks: step 2.4

replace_origins((list) =>
  list.filter((text) => {
    const url = URLS.parse(text);
    return !(url && /^(http|ws):$/.test(url.protocol) && !/(^|\.)localhost$|^127\.|^\[::1\]$/.test(url.hostname));
  }),
);
