"""The compiler of prose: from the syntax tree of a specification's text to the Python of a revision."""
