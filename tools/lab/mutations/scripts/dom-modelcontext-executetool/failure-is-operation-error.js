// An execution that fails rejects the promise with an OperationError.
// Breaks: step 20.5.1
// Noticed by: execute-tool-failures.https.html

const failed = shared("failed", () => new Set());
wrap_callback(async (run, args, name) => {
  failed.delete(name);
  try {
    return await run(...args);
  } catch (thrown) {
    failed.add(name);
    throw thrown;
  }
});
replace_method("executeTool", (call, args) => {
  const { args: watched, seen } = watch_execution(args);
  return map(call(...watched), undefined, (reason) => {
    throw is_exception(reason, "UnknownError") && failed.has(text_of(seen.name))
      ? new DOMException("failed", "OperationError")
      : reason;
  });
});
