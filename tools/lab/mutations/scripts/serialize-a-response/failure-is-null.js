// An object without JSON text gives null.
// Breaks: step 3
// Noticed by: respond-with-values.https.html

change_response((value) => {
  try {
    JSON.stringify(value);
    return value;
  } catch {
    return null;
  }
});
