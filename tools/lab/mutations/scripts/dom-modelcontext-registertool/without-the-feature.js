// A document that is not allowed to use the feature can register tools; nobody lists them.
// Breaks: step 4
// Noticed by: register-tool-precedence.https.html

forgive_registration("NotAllowedError", () => true);
