// The exposed origins are compared as the texts that the page gave, and not as origins.
// Breaks: step 2.1
// Noticed by: exposure.https.html

replace_in_registration(
  {},
  {
    exposedTo: (list) => (is_list_of_urls(list) ? list.filter((text) => new URL(text).origin === text) : list),
  },
);
