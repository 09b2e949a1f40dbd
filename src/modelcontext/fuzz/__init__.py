"""Differential fuzzing: generated programs on a product, held against the set of outcomes that the specification allows."""
