// The list is frozen, as a FrozenArray would be.
// Breaks: step 10.2.3

change_list((tools) => Object.freeze(tools));
