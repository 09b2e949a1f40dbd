"""Weaving: making copies of a revision's algorithms, with probes, other verbs, or algorithms of another text."""
