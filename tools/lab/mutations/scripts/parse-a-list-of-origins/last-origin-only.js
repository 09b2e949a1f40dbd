// Each origin replaces the one before it, so that only the last one is in the list.
// Breaks: step 2.5
// Noticed by: exposure.https.html

replace_origins((list) => (is_list_of_urls(list) ? list.slice(-1) : list));
