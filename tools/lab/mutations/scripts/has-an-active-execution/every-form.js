// The pseudo-classes match whether the form is called or not.
// Breaks: step 2
// Noticed by: execute-pseudo-classes.https.html

replace_active((old, form) => old || form?.hasAttribute("toolname") === true);
