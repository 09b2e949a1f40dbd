// An object is converted by String().
// Breaks: step 3
// Noticed by: respond-with-values.https.html

change_response((value) => (is_object(value) && !Array.isArray(value) ? String(value) : value));
