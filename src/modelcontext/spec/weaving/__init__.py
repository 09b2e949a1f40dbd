"""Weaving: making a revision whose algorithms are changed copies of another revision's."""
