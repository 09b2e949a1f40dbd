// A signal that is aborted already has no effect; the tool is registered.
// Breaks: step 13

replace_in_registration({}, { signal: (signal) => (is_signal(signal) && signal.aborted ? undefined : signal) });
