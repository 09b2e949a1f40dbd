// A description can be empty.
// Breaks: step 9

forgive_registration("InvalidStateError", (seen, name) => String(seen.description) === "" && /^[\w.-]{1,128}$/.test(name));
