// The description of a date does not say how it is written.
// Breaks: step 6.2
// Seen through: create-a-form-tool
// Noticed by: schema-date.https.html

change_descriptions((description) => description?.replace(/ \(Dates MUST .*$/, ""));
