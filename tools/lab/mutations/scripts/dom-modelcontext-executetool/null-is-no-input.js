// An input that is null counts as none.
// Breaks: Web IDL

replace_method("executeTool", (call, args) => call(...(args[1] === null ? [args[0], {}, ...args.slice(2)] : args)));
