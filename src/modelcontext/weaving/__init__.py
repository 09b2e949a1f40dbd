"""Weaving: revisions whose algorithms are changed copies of another revision's."""
