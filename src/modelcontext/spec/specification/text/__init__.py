"""The text of a specification: building it, reading it, extracting algorithms and IDL from it."""
