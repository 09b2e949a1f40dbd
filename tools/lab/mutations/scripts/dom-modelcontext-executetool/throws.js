// A conversion that fails throws, and does not make a rejected promise.
// Breaks: Web IDL

replace_method("executeTool", (call, args) => {
  const promise = call(...args);
  if (args.length === 0) {
    promise.catch(() => {});
    throw new TypeError("there is no tool");
  }
  return promise;
});
