"""The impact of a changed text: changed steps, the tests that reach them, affected deviations, and lint findings."""

from __future__ import annotations

from modelcontext.judging.impact.changes import StepChange, changes_between
from modelcontext.judging.impact.deviations import Deviation, read_deviations
from modelcontext.judging.impact.history import Commit, HistoryError, committed, read_history
from modelcontext.judging.impact.impact import Impact, Record, impact_of, own_algorithms

__all__ = [
    "Commit",
    "Deviation",
    "HistoryError",
    "Impact",
    "Record",
    "StepChange",
    "changes_between",
    "committed",
    "impact_of",
    "own_algorithms",
    "read_deviations",
    "read_history",
]
