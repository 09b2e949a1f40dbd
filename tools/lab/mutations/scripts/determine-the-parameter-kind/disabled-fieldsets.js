// A fieldset that is disabled does not keep the controls in it from taking part.
// Breaks: step 1
// Seen through: create-a-form-tool
// Noticed by: schema-fieldset.https.html

add_strings((control) => control.localName === "input" && !control.disabled && control.closest("fieldset:disabled"));
