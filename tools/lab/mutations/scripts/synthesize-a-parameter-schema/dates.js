// A date is a string without a format.
// Breaks: step 7
// Seen through: create-a-form-tool
// Noticed by: schema-date.https.html

change_parameters(({ format, ...schema }) =>
  format === "date" ? schema : { ...schema, ...(format ? { format } : {}) },
);
