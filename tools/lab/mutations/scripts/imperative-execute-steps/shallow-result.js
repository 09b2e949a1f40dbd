// Of a result that is an object the objects in it are lost.
// Breaks: step 12.a.3
// Noticed by: execute-tool-results.https.html

wrap_callback(async (run, args) => {
  const result = await run(...args);
  if (!is_object(result) || Array.isArray(result) || typeof result.toJSON === "function") {
    return result;
  }
  const members = Object.entries(Object.getOwnPropertyDescriptors(result));
  return Object.defineProperties(
    {},
    Object.fromEntries(members.filter(([, { value }]) => !is_object(value) || value === result)),
  );
});
