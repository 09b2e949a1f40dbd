// All that the mutations do, and no rule is broken. A subtest that fails with this notices that something stands between it and the browser,
// such as a promise that is settled a microtask later, and not what.

replace_method("registerTool", (call, args) =>
  map(call(...watch_registration(args, {}, { signal: (signal) => signal }).args)),
);
replace_method("executeTool", (call, args) => map(call(...watch_execution(args).args)));
replace_origins((list) => list);
replace_registration_signal((controller, signal) => controller.abort(signal.reason));
change_listed((tool) => tool);
change_parameters((schema) => schema);
observe_tree({ attributes: true, characterData: true, childList: true }, () => {});
track_tools();
note_calls();
wrap_callback((run, args) => run(...args));
change_values((value) => value);
change_outcome(
  (result) => result,
  (reason) => {
    throw reason;
  },
);
change_response((value) => value);
replace_active((old) => old);
redefine(SubmitEvent.prototype, "agentInvoked", "get", (_event, _args, call) => call());
redefine(HTMLFormElement.prototype, "requestSubmit", "value", (_form, args, call) => call(...args));
for (const type of ["input", "change", "submit", "reset", "focusin"]) {
  intercept_in_forms(type, () => {});
}
for (const type of Object.keys(INTERFACES)) {
  intercept(type, () => {});
}
listen(() => {});
redefine(Document.prototype, "modelContext", "get", (_context, _args, call) => call());
