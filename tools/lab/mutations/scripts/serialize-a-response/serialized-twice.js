// An object is serialized twice.
// Breaks: step 3
// Noticed by: respond-with-values.https.html

change_response((value) => {
  if (is_object(value)) {
    try {
      JSON.stringify(value);
    } catch {
      // So does the next time.
    }
  }
  return value;
});
