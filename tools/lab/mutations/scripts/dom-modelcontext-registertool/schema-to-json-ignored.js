// The toJSON() of a schema is not called.
// Breaks: step 11.1

replace_in_registration({
  inputSchema(schema) {
    return is_object(schema) && typeof schema.toJSON === "function" ? { ...schema, toJSON: undefined } : schema;
  },
});
