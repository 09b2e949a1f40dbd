// The list is frozen, as a FrozenArray would be.
// Breaks: step 10.2.3
// Noticed by: get-tools.https.html

change_list((tools) => Object.freeze(tools));
