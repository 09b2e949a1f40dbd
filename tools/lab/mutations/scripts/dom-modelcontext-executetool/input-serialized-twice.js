// The input is serialized twice.
// Breaks: step 11

replace_method("executeTool", (call, args) => {
  const input = args[1];
  return call(
    ...(is_object(input) ? [args[0], same_text(input, () => JSON.stringify(input)), ...args.slice(2)] : args),
  );
});
