// Where the signal is aborted before the promise is fulfilled, it is rejected with a new AbortError, and not with the reason.
// Breaks: step 17.2
// Noticed by: register-tool-signal.https.html

replace_registration_signal((controller) => controller.abort());
