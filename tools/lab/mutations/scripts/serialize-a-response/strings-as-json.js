// A string is serialized as JSON, as that of other tools is.
// Breaks: step 2
// Noticed by: respond-with-values.https.html

change_response((value) => (typeof value === "string" ? JSON.stringify(value) : value));
