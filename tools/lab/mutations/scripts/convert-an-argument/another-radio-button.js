// Of radio buttons the last one is checked, whatever value was chosen.
// Breaks: step 6.4
// Noticed by: execute-input-choices.https.html

change_values((value, members) =>
  kind_of(members) === "radio" && choices_of(members).includes(String(value)) ? choices_of(members).at(-1) : value,
);
