// Of the exposed origins only the first one is looked at.
// Breaks: step 2
// Noticed by: exposure.https.html

replace_in_registration({}, { exposedTo: (list) => (is_list_of_urls(list) ? list.slice(0, 1) : list) });
