// The pseudo-classes match while the form is filled in.
// Breaks: step 3
// Noticed by: execute-pseudo-classes.https.html

let filled;
for (const type of ["input", "change"]) {
  intercept_in_forms(type, (_event, form) => {
    filled = form;
    later(() => {
      filled = undefined;
    });
  });
}
replace_active((old, form) => old || (form !== undefined && form === filled));
