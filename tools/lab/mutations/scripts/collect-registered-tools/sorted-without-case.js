// The tools are sorted without regard to case.
// Breaks: step 5

const key = ({ name }) => name.toLowerCase();
change_list((tools) => [...tools].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0)));
