// A number with step=any is a multiple of 1.
// Breaks: step 8
// Seen through: create-a-form-tool
// Noticed by: schema-number-step.https.html

change_parameters((schema, [control]) =>
  control?.type === "number" && /^any$/i.test(control.step) ? { ...schema, multipleOf: 1 } : schema,
);
