// A hidden control without a description takes part.
// Breaks: step 7.1
// Seen through: create-a-form-tool
// Noticed by: schema-hidden.https.html

add_strings(
  (control) => control.type === "hidden" && !control.disabled && !control.getAttribute("toolparamdescription"),
);
