"""Which steps of the specification, and which sides of their conditions, are reached by which test."""

from __future__ import annotations

from modelcontext.coverage.coverage import Coverage, Standing, Tally
from modelcontext.coverage.reach import Reach, ReachError, measure, read_recorded
from modelcontext.coverage.reasons import Reasons, read_reasons

__all__ = [
    "Coverage",
    "Reach",
    "ReachError",
    "Reasons",
    "Standing",
    "Tally",
    "measure",
    "read_reasons",
    "read_recorded",
]
