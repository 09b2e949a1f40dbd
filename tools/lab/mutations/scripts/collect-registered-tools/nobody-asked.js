// Tools of other origins are listed without being asked for, if they are exposed.
// Breaks: step 4.4
// Noticed by: exposure.https.html

replace_method("getTools", (call, args) => {
  const fromOrigins = (list) =>
    list === undefined || is_list_of_urls(list) ? [...(list ?? []), ...origins_around()] : list;
  return call(watch(args[0], { fromOrigins }).object);
});
