"""Holding products against the specification: the corpus, the verdicts, what is expected, the reports."""
