// A line feed may end a name, as where a regular expression ends in a dollar sign.
// Breaks: step 3.1

forgive_registration("InvalidStateError", (_seen, name) => /^[\w.-]{1,127}\n$/.test(name));
