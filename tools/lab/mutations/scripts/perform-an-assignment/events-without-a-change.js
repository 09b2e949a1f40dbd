// A text control that has its value already fires events.
// Breaks: step 10
// Noticed by: execute-events.https.html

change_values((value, members) => {
  const [control] = members;
  if (kind_of(members) === "text" && control?.value === value) {
    control.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    control.dispatchEvent(new Event("change", { bubbles: true }));
  }
  return value;
});
