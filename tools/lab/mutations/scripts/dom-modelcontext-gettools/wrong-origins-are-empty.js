// Where the origins to list from fail to parse, the promise is fulfilled with an empty list.
// Breaks: step 6.2
// Noticed by: list-of-origins.https.html

replace_method("getTools", (call, args) =>
  map(call(...args), undefined, (reason) => {
    if (is_exception(reason, "SecurityError")) {
      return [];
    }
    throw reason;
  }),
);
