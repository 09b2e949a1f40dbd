// The attribute title is a description, if there is no other.
// Breaks: step 5
// Seen through: create-a-form-tool
// Noticed by: schema-descriptions.https.html

change_descriptions((description, [control]) => description ?? control?.title);
