// A submission that is not prevented fails the call.
// Breaks: step 6.1
// Noticed by: execute-navigation.https.html

change_outcome((result) => {
  if (result === null) {
    throw new DOMException("no answer", "UnknownError");
  }
  return result;
});
