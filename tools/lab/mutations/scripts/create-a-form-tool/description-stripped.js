// White space around the description is stripped.
// Breaks: step 6
// Seen through: create-a-registered-tool
// Noticed by: attributes.https.html

change_listed((tool) => (listed_form(tool) ? { ...tool, description: tool.description.trim() } : tool));
