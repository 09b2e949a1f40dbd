// Loopback addresses without TLS are not taken for potentially trustworthy.
// Breaks: step 2.4

replace_origins((list) => (list.some((text) => /^http:\/\/(127\.|\[::1\])/.test(text.trim())) ? ["no URL"] : list));
