// A document that is not allowed to use the feature can register tools; nobody lists them.
// Breaks: step 4

forgive_registration("NotAllowedError", () => true);
