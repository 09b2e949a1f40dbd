// The pseudo-classes never match.
// Breaks: step 3
// Noticed by: execute-pseudo-classes.https.html

replace_active(() => false);
