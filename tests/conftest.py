"""Hypothesis draws the same examples on every machine and in every run."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("deterministic", derandomize=True, database=None, deadline=None, print_blob=False)
settings.load_profile("deterministic")
