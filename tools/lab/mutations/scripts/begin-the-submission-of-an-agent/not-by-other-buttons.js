// What is submitted by another button than the chosen one is not the agent's.
// Breaks: step 2
// Noticed by: execute-waiting.https.html

redefine(SubmitEvent.prototype, "agentInvoked", "get", (event, _args, call) => {
  return (
    call() &&
    !(event.isTrusted && event.submitter !== null && event.submitter !== event.target?.querySelector("button"))
  );
});
