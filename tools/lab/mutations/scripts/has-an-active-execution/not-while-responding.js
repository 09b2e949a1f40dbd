// The pseudo-classes match until the form was submitted.
// Breaks: step 3
// Noticed by: execute-pseudo-classes.https.html

const submitted = new WeakSet();
intercept_in_forms("submit", (_event, form) => later(() => submitted.add(form)));
replace_active((old, form) => old && !submitted.has(form));
