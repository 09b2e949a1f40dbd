// Nothing says what the value of a control for a month looks like.
// Breaks: step 1
// Seen through: create-a-form-tool
// Noticed by: schema-months-weeks-and-colors.https.html

change_parameters(({ format, pattern, ...schema }, [control]) =>
  control?.type === "month"
    ? schema
    : { ...schema, ...(format && { format }), ...(pattern !== undefined && { pattern }) },
);
