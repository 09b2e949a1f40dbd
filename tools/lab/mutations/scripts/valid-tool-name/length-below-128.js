// A name of exactly 128 code units is too long.
// Breaks: step 2

replace_in_registration({ name: (name) => (name?.length === 128 ? "" : name) });
