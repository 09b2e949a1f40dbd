// No submission is the agent's.
// Breaks: step 4
// Noticed by: execute-autosubmit.https.html

redefine(SubmitEvent.prototype, "agentInvoked", "get", (event, _args, call) => {
  return call() && !event.isTrusted;
});
