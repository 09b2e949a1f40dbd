// The tool is stored some time after registerTool() has returned.
// Breaks: step 22

replace_method("registerTool", (call, args) => {
  const { seen } = watch_registration(args);
  const first = watch_registration(args);
  const plain = (value) => typeof value === "string" && value !== "";
  const tool = args[0];
  const is_simple = is_object(tool) && Object.values(Object.getOwnPropertyDescriptors(tool)).every((one) => "value" in one)
    && /^[\w.-]{1,128}$/.test(tool.name) && plain(tool.description) && typeof tool.execute === "function"
    && Object.keys(tool).every((key) => ["name", "description", "execute"].includes(key)) && args[1] === undefined;
  return is_simple && document.defaultView !== null ? new Promise((resolve) => { later(() => resolve(call(...args))); }) : call(...args);
});
