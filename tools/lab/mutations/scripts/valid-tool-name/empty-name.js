// The empty string is a valid name.
// Breaks: step 1

forgive_registration("InvalidStateError", (seen, name) => name === "" && text_of(seen.description) !== "");
