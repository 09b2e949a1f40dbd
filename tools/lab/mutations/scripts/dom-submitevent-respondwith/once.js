// Called for a second time, it throws.
// Breaks: step 4
// Noticed by: respond-with-promises.https.html

const answered = new WeakSet();
replace_respond_with((call, args, event) => {
  if (answered.has(event)) {
    throw new DOMException("answered already", "InvalidStateError");
  }
  call(...args);
  answered.add(event);
});
