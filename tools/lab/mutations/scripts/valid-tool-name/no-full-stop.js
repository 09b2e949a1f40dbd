// U+002E (.) is not allowed in a name.
// Breaks: step 3.1

replace_in_registration({ name: (name) => (typeof name === "string" && name.includes(".") ? "" : name) });
