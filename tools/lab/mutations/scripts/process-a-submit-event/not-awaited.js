// The call does not wait for the response.
// Breaks: step 4.2
// Noticed by: respond-with-promises.https.html

replace_respond_with((call, [response]) => {
  call(
    Promise.race([
      response,
      Promise.resolve()
        .then(() => {})
        .then(() => {})
        .then(() => null),
    ]),
  );
});
