// Values are filled in in the order of the controls, and not in that of the input.
// Breaks: step 5
// Noticed by: execute-events.https.html

change_input((values, form) => {
  if (Array.isArray(values)) {
    return values;
  }
  const names = [...form.elements].map((control) => control.name.trim());
  const entries = Object.entries(values);
  return Object.fromEntries(entries.sort(([one], [other]) => names.indexOf(one) - names.indexOf(other)));
});
