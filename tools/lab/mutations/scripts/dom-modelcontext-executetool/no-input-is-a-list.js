// Where no input is given, the callback gets an empty array, and no empty object.
// Breaks: step 10
// Noticed by: execute-tool-inputs.https.html

replace_method("executeTool", (call, args) =>
  call(...(args.length === 1 || args[1] === undefined ? [args[0], [], ...args.slice(2)] : args)),
);
