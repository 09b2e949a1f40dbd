"""The text of a specification: building it, reading it, and extracting algorithms and IDL from it."""
