"""From the syntax tree of prose to that of Python."""
