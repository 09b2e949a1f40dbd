"""Holding products against the specification: the corpus, the verdicts, and what is expected."""
