// A signal that is aborted already has no effect; the tool is registered.
// Breaks: step 13
// Noticed by: register-tool-precedence.https.html

replace_in_registration({}, { signal: (signal) => (is_signal(signal) && signal.aborted ? undefined : signal) });
