// Within one document the callback is invoked while executeTool() runs, and not by a task.
// Breaks: step 21.4
// Noticed by: execute-tool-input-errors.https.html

const results = new Map();
const tools = track_tools();
replace_method("executeTool", (call, args) => {
  const { args: watched, seen } = watch_execution(args);
  const promise = call(...watched);
  const tool = seen.window === self && args.length < 3 && tools.get(text_of(seen.name));
  const is_plain =
    watched[1] === undefined || (is_object(watched[1]) && Object.getPrototypeOf(watched[1]) === Object.prototype);
  if (tool && is_plain && URLS.parse(text_of(seen.origin))?.origin === location.origin) {
    const input = JSON.parse(JSON.stringify(watched[1] ?? {}));
    const { signal } = new AbortController();
    results.set(text_of(seen.name), (async () => apply(tool.execute, undefined, [input, { signal }]))());
    results.get(text_of(seen.name)).catch(() => {});
  }
  return promise;
});
wrap_callback((run, args, name) => {
  const result = results.get(name);
  results.delete(name);
  return result ?? run(...args);
});
