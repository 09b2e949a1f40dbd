// The first promise counts, and not the last.
// Breaks: step 4
// Noticed by: respond-with-promises.https.html

const answered = new WeakSet();
replace_respond_with((call, args, event) => {
  if (!event.isTrusted || !answered.has(event)) {
    call(...args);
    answered.add(event);
  }
});
