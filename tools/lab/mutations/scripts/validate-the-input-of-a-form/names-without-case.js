// A name may differ in case from that of the control.
// Breaks: step 5.1
// Noticed by: execute-input-names.https.html

change_input((values, form) => {
  const names = [...form.elements].map((control) => control.name.trim());
  const same = (name) => names.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name;
  return Array.isArray(values)
    ? values
    : Object.fromEntries(Object.entries(values).map(([name, value]) => [same(name), value]));
});
