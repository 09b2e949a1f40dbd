// The promise is fulfilled with the tool's name, and not with undefined.
// Breaks: step 23.2
// Noticed by: register-tool.https.html

replace_method("registerTool", (call, args) => {
  const watched = watch_registration(args);
  return map(call(...watched.args), () => text_of(watched.seen.name));
});
