// The member description is read twice.
// Breaks: Web IDL
// Noticed by: register-tool-member-order.https.html

replace_method("registerTool", (call, args) => {
  const description = (value) => {
    void args[0].description;
    return value;
  };
  return call(
    ...watch_registration(args, { description: (value) => (is_object(args[0]) ? description(value) : value) }).args,
  );
});
