// Only the first code point of a name is looked at.
// Breaks: step 3

forgive_registration(
  "InvalidStateError",
  (_seen, name) => /^[\w.-]/.test(name) && !/^[\w.-]*$/.test(name) && name.length <= 128,
);
