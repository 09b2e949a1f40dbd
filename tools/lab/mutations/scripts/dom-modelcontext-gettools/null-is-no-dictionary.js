// Options that are null are a TypeError.
// Breaks: Web IDL

replace_method("getTools", (call, args) => call(...(args[0] === null ? [0] : args)));
