"""The trial of generated races: the classes that they have, and the smallest set of them that notices mutants of the text."""
