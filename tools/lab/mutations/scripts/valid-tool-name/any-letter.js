// Letters of every script are allowed in a name, and not only those of ASCII.
// Breaks: step 3.1

forgive_registration(
  "InvalidStateError",
  (_seen, name) => /^[\p{Letter}\w.-]{1,128}$/u.test(name) && /[^\w.-]/.test(name),
);
