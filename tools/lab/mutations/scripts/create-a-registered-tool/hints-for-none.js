// A tool without annotations is listed with four hints that are false.
// Breaks: step 4
// Noticed by: annotations.https.html

const none = { consequentialHint: false, debugging: false, readOnlyHint: false, untrustedContentHint: false };
change_listed(({ annotations, ...tool }) => ({ annotations: annotations ?? { ...none }, ...tool }));
