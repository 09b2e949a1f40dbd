// What a script submits by requestSubmit() is not the agent's.
// Breaks: step 2
// Noticed by: execute-waiting.https.html

let by_script = false;
redefine(HTMLFormElement.prototype, "requestSubmit", "value", (_form, args, call) => {
  by_script = true;
  try {
    return call(...args);
  } finally {
    by_script = false;
  }
});
redefine(
  SubmitEvent.prototype,
  "agentInvoked",
  "get",
  (event, _args, call) => call() && !(event.isTrusted && by_script),
);
