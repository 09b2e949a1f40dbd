// A call of a form that fails gives null.
// Breaks: step 5.1
// Noticed by: execute-cancel-reset.https.html

change_outcome(undefined, (reason) => {
  if (is_exception(reason, "UnknownError")) {
    return null;
  }
  throw reason;
});
