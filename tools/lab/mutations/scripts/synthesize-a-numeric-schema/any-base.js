// A number is a multiple of its step, whatever the step base is.
// Breaks: step 8
// Seen through: create-a-form-tool
// Noticed by: schema-number-step.https.html

change_parameters(({ description, ...schema }, [control]) => {
  const step = Number(control?.step);
  const multiple = schema.type === "number" && step > 0 ? { ...schema, multipleOf: step } : schema;
  return description === undefined ? multiple : { ...multiple, description };
});
