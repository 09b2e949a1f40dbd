// A disabled control takes part.
// Breaks: step 1
// Seen through: create-a-form-tool
// Noticed by: schema-disabled.https.html

add_strings((control) => /^(input|textarea)$/.test(control.localName) && control.disabled);
