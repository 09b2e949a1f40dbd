// Where one value is refused, the texts among the others are filled in all the same.
// Breaks: step 5.3
// Noticed by: execute-input-atomic.https.html

const inputs = new WeakMap();
change_outcome(undefined, (reason, form) => {
  for (const [name, value] of Object.entries(inputs.get(form) ?? {})) {
    const members = members_of(form, name);
    if (kind_of(members) === "text" && members.length === 1 && typeof value === "string") {
      members[0].value = value;
    }
  }
  throw reason;
});
change_input((values, form) => {
  inputs.set(form, values);
  return values;
});
