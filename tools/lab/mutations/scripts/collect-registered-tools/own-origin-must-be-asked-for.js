// Where origins to list from are named, the tools of the own origin are only listed if it is one of them.
// Breaks: step 4.4
// Noticed by: exposure-nested.https.html

replace_method("getTools", (call, args) => {
  let others_only = false;
  const fromOrigins = (list) => {
    others_only =
      is_list_of_urls(list) && list.length > 0 && !list.some((text) => new URL(text).origin === location.origin);
    return list;
  };
  const promise = call(...(args.length > 0 ? [watch(args[0], { fromOrigins }).object] : []));
  return others_only ? map(promise, (tools) => tools.filter((tool) => tool.origin !== location.origin)) : promise;
});
