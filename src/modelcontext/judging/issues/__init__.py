"""Issues of a specification: their words and steps, the programs that show them, and what a change would do."""
