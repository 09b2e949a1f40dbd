// It cancels the event, if a listener has not.
// Breaks: step 2
// Noticed by: respond-with-errors.https.html

replace_respond_with((call, args, event) => {
  event.preventDefault();
  call(...args);
});
