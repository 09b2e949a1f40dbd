"""Which steps of the specification, and which sides of their conditions, are reached by which test."""

from __future__ import annotations

from modelcontext.coverage.coverage import Coverage, Extent, Tally
from modelcontext.coverage.reach import Reach, ReachError, measure, read_recorded
from modelcontext.coverage.reasons import Reasons, read_reasons

__all__ = [
    "Coverage",
    "Extent",
    "Reach",
    "ReachError",
    "Reasons",
    "Tally",
    "measure",
    "read_reasons",
    "read_recorded",
]
