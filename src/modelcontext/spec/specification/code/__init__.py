"""Comparison of a revision's code with its text."""
