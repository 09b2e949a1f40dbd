// A tool that is not exposed to the caller's origin is executed all the same.
// Breaks: step 10
// Noticed by: execute-tool-cross-origin.https.html

const tools = track_tools();
listen(async ({ name, origin, text }, { ports: [port] }) => {
  const tool = origin === location.origin && tools.get(name);
  port.postMessage(tool ? { result: await run_directly(tool.execute, text) } : {});
});
replace_method("executeTool", (call, args) => {
  const { args: watched, seen } = watch_execution(args);
  return map(call(...watched), undefined, async (reason) => {
    const origin = URLS.parse(text_of(seen.origin))?.origin;
    if (
      is_exception(reason, "UnknownError") &&
      origin !== location.origin &&
      windows_of_the_tab().includes(seen.window)
    ) {
      const { port1, port2 } = new MessageChannel();
      const answer = new Promise((resolve) => {
        port1.onmessage = ({ data }) => resolve(data);
      });
      tell(seen.window, { name: text_of(seen.name), origin, text: JSON.stringify(watched[1] ?? {}) }, [port2]);
      const { result } = await Promise.race([
        answer,
        new Promise((resolve) => {
          setTimeout(resolve, 1000, {});
        }),
      ]);
      if (result !== undefined) {
        return result;
      }
    }
    throw reason;
  });
});
