// The tool is stored some time after registerTool() has returned.
// Breaks: step 22
// Noticed by: settling.https.html

const values_of = (object) => Object.values(Object.getOwnPropertyDescriptors(object));
const is_simple = (object, members) =>
  values_of(object).every((one) => "value" in one) && Object.keys(object).every((key) => members.includes(key));
replace_method("registerTool", (call, args) => {
  const [tool, options = {}] = args;
  // One that cannot fail, and whose conversion nobody notices.
  const may_wait =
    document.defaultView !== null &&
    is_object(tool) &&
    is_object(options) &&
    is_simple(tool, ["name", "description", "execute"]) &&
    is_simple(options, ["signal"]) &&
    is_name(tool.name) &&
    typeof tool.description === "string" &&
    tool.description !== "" &&
    typeof tool.execute === "function" &&
    (options.signal === undefined || (is_signal(options.signal) && !options.signal.aborted));
  return may_wait
    ? new Promise((resolve) => {
        later(() => resolve(call(...args)));
      })
    : call(...args);
});
