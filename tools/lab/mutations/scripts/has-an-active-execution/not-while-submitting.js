// The pseudo-classes do not match when submit is fired.
// Breaks: step 3
// Noticed by: execute-pseudo-classes.https.html

let submitted;
intercept_in_forms("submit", (_event, form) => {
  submitted = form;
  later(() => {
    submitted = undefined;
  });
});
replace_active((old, form) => old && form !== submitted);
