"""Coverage: the steps of the specification, and the sides of their conditions, that each test reaches."""

from __future__ import annotations

from modelcontext.judging.coverage.coverage import Coverage, Extent, Tally
from modelcontext.judging.coverage.reach import Reach, ReachError, measured, programs_of, read_recorded
from modelcontext.judging.coverage.reasons import read_reasons

__all__ = [
    "Coverage",
    "Extent",
    "Reach",
    "ReachError",
    "Tally",
    "measured",
    "programs_of",
    "read_reasons",
    "read_recorded",
]
