// A submission that is prevented, and not responded to, gives null.
// Breaks: step 5
// Noticed by: respond-with-errors.https.html

const answered = new WeakSet();
replace_respond_with((call, args, event) => {
  call(...args);
  answered.add(event);
});
self.addEventListener("submit", (event) => {
  if (event.isTrusted && event.agentInvoked && event.defaultPrevented && !answered.has(event)) {
    event.respondWith(Promise.resolve(null));
  }
});
