// Origins to list from that fail to parse are a TypeError.
// Breaks: step 6.2
// Noticed by: list-of-origins.https.html

replace_method("getTools", (call, args) =>
  map(call(...args), undefined, (reason) => {
    throw is_exception(reason, "SecurityError") ? new TypeError("no origin") : reason;
  }),
);
