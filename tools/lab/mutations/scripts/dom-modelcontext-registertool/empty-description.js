// A description can be empty.
// Breaks: step 9
// Noticed by: register-tool-precedence.https.html

forgive_registration("InvalidStateError", (seen, name) => text_of(seen.description) === "" && is_name(name));
