// It does nothing where the user submits the form, and throws nothing.
// Breaks: step 1
// Noticed by: respond-with-errors.https.html

replace_respond_with((call, args, event) => {
  if (event.agentInvoked) {
    call(...args);
  }
});
