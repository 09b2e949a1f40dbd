// Without tooltitle the name is the title.
// Breaks: step 5
// Seen through: create-a-registered-tool
// Noticed by: attributes.https.html

change_listed((tool) => (listed_form(tool) && tool.title === "" ? { ...tool, title: tool.name } : tool));
