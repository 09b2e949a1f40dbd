// Aborting does not reject the promise if the tool settles all the same, soon after.
// Breaks: step 19.3.1
// Noticed by: execute-tool-signal-microtask.https.html

replace_method("executeTool", (call, args) => {
  const { args: watched, seen, options } = watch_execution(args);
  const promise = call(...watched);
  const results = shared("results", () => new Map());
  const was_aborted = options.signal?.aborted;
  return map(promise, undefined, async (reason) => {
    if (!was_aborted && options.signal?.aborted) {
      await new Promise((resolve) => {
        later(resolve);
      });
      const result = results.get(text_of(seen.name));
      if (result !== undefined) {
        return result;
      }
    }
    throw reason;
  });
});
wrap_callback((run, args, name) => {
  const result = run(...args);
  const results = shared("results", () => new Map());
  results.delete(name);
  Promise.resolve(result).then(
    (value) => results.set(name, JSON.stringify(value)),
    () => {},
  );
  return result;
});
