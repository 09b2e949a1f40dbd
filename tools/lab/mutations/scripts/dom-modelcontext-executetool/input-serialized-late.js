// The input is serialized some time after executeTool() has returned.
// Breaks: step 11
// Noticed by: execute-tool-inputs.https.html

replace_method("executeTool", (call, args) => {
  const is_plain = (value) =>
    Object.values(Object.getOwnPropertyDescriptors(value)).every(
      (one) => "value" in one && typeof one.value === "number",
    );
  const may_wait =
    is_object(args[0]) &&
    is_object(args[1]) &&
    Object.keys(args[1]).length > 0 &&
    is_plain(args[1]) &&
    args.length === 2;
  return may_wait && document.defaultView !== null ? Promise.resolve().then(() => call(...args)) : call(...args);
});
