// A form has annotations, which are all false.
// Breaks: step 6
// Seen through: create-a-registered-tool
// Noticed by: attributes.https.html

const annotations = { readOnlyHint: false, untrustedContentHint: false };
change_listed((tool) => (listed_form(tool) ? { annotations: { ...annotations }, ...tool } : tool));
