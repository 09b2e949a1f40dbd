"""Comparing products with the specification: the corpus, the verdicts and the expectations."""
