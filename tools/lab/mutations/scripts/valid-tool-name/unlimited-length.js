// A name can be of any length.
// Breaks: step 2

forgive_registration(
  "InvalidStateError",
  (seen, name) => /^[\w.-]{129,}$/.test(name) && text_of(seen.description) !== "",
);
