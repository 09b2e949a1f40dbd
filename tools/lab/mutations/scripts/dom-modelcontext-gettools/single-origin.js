// A text is taken for a list of origins with one entry.
// Breaks: Web IDL

replace_method("getTools", (call, args) => {
  const fromOrigins = (list) => (typeof list === "string" ? [list] : list);
  return call(...(args.length > 0 ? [watch(args[0], { fromOrigins }).object] : []));
});
