// debugging is not stored.
// Breaks: step 20.2
// Noticed by: annotations.https.html

replace_in_registration({
  annotations: (annotations) =>
    is_object(annotations) ? watch(annotations, { debugging: () => false }).object : annotations,
});
