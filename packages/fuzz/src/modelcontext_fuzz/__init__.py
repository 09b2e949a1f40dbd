"""Differential fuzzing: generated programs on a product, compared with the outcomes that the specification allows."""
