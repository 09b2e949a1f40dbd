"""Issues of a specification: their words and steps, the programs that show them, and the texts with the proposed changes."""
