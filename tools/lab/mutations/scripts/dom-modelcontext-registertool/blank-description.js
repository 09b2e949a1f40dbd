// A description of white space alone counts as an empty one.
// Breaks: step 9
// Noticed by: register-tool.https.html

replace_in_registration({
  description: (description) =>
    typeof description === "string" ? (description.trim() === "" ? "" : description) : description,
});
