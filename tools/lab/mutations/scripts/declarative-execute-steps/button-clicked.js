// The button is clicked when the form submits itself.
// Breaks: step 17
// Noticed by: execute-autosubmit.https.html

intercept_in_forms("submit", (event, form) => {
  if (event.agentInvoked && form.hasAttribute("toolautosubmit")) {
    event.submitter?.click();
  }
});
