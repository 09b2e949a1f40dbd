// The exposed origins are compared without their ports.
// Breaks: step 2.1
// Noticed by: exposure.https.html

const host = (url) => new URL(url).protocol + new URL(url).hostname;
replace_in_registration(
  {},
  {
    exposedTo(list) {
      return is_list_of_urls(list)
        ? [...list, ...origins_around().filter((origin) => list.some((one) => host(one) === host(origin)))]
        : list;
    },
  },
);
