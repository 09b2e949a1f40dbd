// An input that is JSON text is parsed, as earlier drafts had it.
// Breaks: Web IDL

replace_method("executeTool", (call, args) => {
  let input = args[1];
  if (typeof input === "string") {
    try {
      input = JSON.parse(input);
    } catch {
      // Then it stays what it is.
    }
  }
  return call(...(args.length > 1 ? [args[0], input, ...args.slice(2)] : args));
});
