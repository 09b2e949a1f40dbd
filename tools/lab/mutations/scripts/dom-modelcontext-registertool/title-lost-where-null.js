// A title that is null counts as absent, and is not the text "null".
// Breaks: Web IDL
// Noticed by: register-tool-strings.https.html

replace_in_registration({ title: (title) => title ?? undefined });
