// The event is a ToolActivatedEvent, and not a plain Event.
// Breaks: step 6.6
// Noticed by: toolchange.https.html

intercept("toolchange", (event) => Object.setPrototypeOf(event, ToolActivatedEvent.prototype));
