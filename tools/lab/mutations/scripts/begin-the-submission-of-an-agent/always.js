// Every submission of a form that is a tool is the agent's.
// Breaks: step 2
// Noticed by: execute-waiting.https.html

redefine(SubmitEvent.prototype, "agentInvoked", "get", (event, _args, call) => {
  return call() || (event.isTrusted && event.target?.hasAttribute?.("toolname") === true);
});
