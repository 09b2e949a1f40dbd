// The schema is serialized twice.
// Breaks: step 11.1

replace_in_registration({
  inputSchema(schema) {
    return !is_object(schema) ? schema : { toJSON() { JSON.stringify(schema); return schema; } };
  },
});
