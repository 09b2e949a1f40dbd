"""Litmus tests: programs with a race, a person's words about the outcomes, and the outcomes that the model finds."""
