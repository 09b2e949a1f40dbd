// A name that is taken is accepted; the tool that has it stays.
// Breaks: step 7
// Noticed by: register-tool-precedence.https.html

forgive_registration("InvalidStateError", (seen, name) => is_name(name) && text_of(seen.description) !== "");
