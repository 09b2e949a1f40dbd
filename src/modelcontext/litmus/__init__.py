"""Litmus tests: programs with a race, what a person says about its outcomes, and the outcomes that the model finds."""
