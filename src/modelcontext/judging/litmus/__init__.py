"""Litmus tests: programs with a race, a person's description of the outcomes, and the outcomes that the model finds."""
