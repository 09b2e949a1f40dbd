// A name that is taken is accepted; the tool that has it stays.
// Breaks: step 7

forgive_registration("InvalidStateError", (seen, name) => /^[\w.-]{1,128}$/.test(name) && String(seen.description) !== "");
