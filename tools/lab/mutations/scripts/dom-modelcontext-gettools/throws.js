// A conversion that fails throws, and does not make a rejected promise.
// Breaks: Web IDL

replace_method("getTools", (call, args) => {
  const promise = call(...args);
  if (args[0] !== undefined && args[0] !== null && !is_object(args[0])) {
    promise.catch(() => {});
    throw new TypeError("the options are no object");
  }
  return promise;
});
