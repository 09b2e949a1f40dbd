// A file control is a string.
// Breaks: step 8
// Seen through: create-a-form-tool
// Noticed by: schema-files.tentative.https.html

add_strings((control) => control.type === "file");
