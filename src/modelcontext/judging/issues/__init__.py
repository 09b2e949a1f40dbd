"""Issues of a specification: their words and steps, the programs that show them, and the revisions with their changes."""
