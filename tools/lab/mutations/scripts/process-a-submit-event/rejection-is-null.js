// A response that is rejected gives null.
// Breaks: step 4.2.b.3
// Noticed by: respond-with-promises.https.html

replace_respond_with((call, [response]) => call(Promise.resolve(response).catch(() => null)));
