// An accessing origin that is same site with the owner's is taken for the same origin.
// Breaks: step 1

const site = (host) => host.split(".").slice(-2).join(".");
replace_method("registerTool", (call, args) => {
  const same_site = origins_around().filter((origin) => site(new URL(origin).hostname) === site(location.hostname));
  const exposedTo = (list) => (list === undefined || is_list_of_urls(list) ? [...(list ?? []), ...same_site] : list);
  return call(...watch_registration(args, {}, { exposedTo }).args);
});
