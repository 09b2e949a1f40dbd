// A tool is exposed to every origin around it, named or not.
// Breaks: step 3

replace_method("registerTool", (call, args) => {
  const exposedTo = (list) =>
    list === undefined || is_list_of_urls(list) ? [...(list ?? []), ...origins_around()] : list;
  return call(...watch_registration(args, {}, { exposedTo }).args);
});
