// A schema that has no JSON text counts as none.
// Breaks: step 11.2

replace_in_registration({
  inputSchema(schema) {
    return is_object(schema) && (typeof schema === "function" || typeof schema.toJSON === "function")
      ? { toJSON: () => (typeof schema === "function" ? {} : (schema.toJSON() ?? {})) }
      : schema;
  },
});
