"""Weaving: making a changed copy of a revision's algorithms."""
