// The host name localhost is not potentially trustworthy without TLS.
// Breaks: step 2.4

replace_origins((list) =>
  list.some((text) => /^http:\/\/([\w.]+\.)?localhost/.test(text.trim())) ? ["no URL"] : list,
);
