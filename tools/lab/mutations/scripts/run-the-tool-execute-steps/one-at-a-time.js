// An execution waits until the one before it, in the same document, is over.
// Breaks: step 3
// Seen through: dom-modelcontext-executetool
// Noticed by: execute-tool.https.html

let before = Promise.resolve();
wrap_callback((run, args) => {
  const result = before.then(() => run(...args));
  before = result.catch(() => {});
  return result;
});
