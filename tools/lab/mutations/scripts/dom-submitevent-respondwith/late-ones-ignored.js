// After the event was dispatched it does nothing, and throws nothing.
// Breaks: step 3
// Noticed by: respond-with-errors.https.html

replace_respond_with((call, args, event) => {
  if (event.eventPhase !== Event.NONE || !event.agentInvoked || !event.defaultPrevented) {
    call(...args);
  }
});
