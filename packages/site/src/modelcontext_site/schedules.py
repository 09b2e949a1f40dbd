"""Pictures of schedules: for each outcome of a litmus test a run that leads to it, with what others can see of it.

Finding the runs takes long, so they are kept until the package or the program changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.checkout import PACKAGE, path_in
from modelcontext.ground.keeping import digest, keep, read_kept
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.outcome import describe
from modelcontext.programs.tracing import trace
from modelcontext.programs.tracing.story import Moment, story_of_trace

if TYPE_CHECKING:
    from modelcontext.judging.litmus.language import Litmus
    from modelcontext.programs.program.outcome import Outcome
    from modelcontext_site.known_tests import KnownTest

_KEPT: Final = Path("build", "schedules")


@dataclass(frozen=True)
class SchedulePicture:
    """A schedule that leads to an outcome. ``name`` identifies the outcome, and ``lanes`` are those who act."""

    name: str
    outcome: str
    kinds: Sequence[str]
    schedule: Sequence[int]
    moments: Sequence[Moment]

    @property
    def lanes(self) -> Sequence[str]:
        """Those who act, in the order in which they begin; steps in parallel come last."""
        names = dict.fromkeys(moment.who for moment in self.moments)
        return sorted(names, key=lambda name: name == "in parallel")


class Schedules:
    """The kept schedules of a checkout."""

    def __init__(self, root: Path) -> None:
        self._path = path_in(root, _KEPT) / f"{digest(PACKAGE)}.json"
        self._known: dict[str, Any] = read_kept(self._path) or {}

    def pictures(self, test: KnownTest) -> list[SchedulePicture]:
        """Return a picture for each outcome of a litmus test, in the order of their numbers."""
        assert test.litmus is not None
        key = hashlib.sha256(test.litmus.program.dumps_json().encode()).hexdigest()
        if key not in self._known:
            self._known[key] = _found(test.litmus, test.outcomes)
            keep(self._path, self._known)
        return list(_pictures(test, self._known[key]))


def _found(litmus: Litmus, outcomes: Sequence[Outcome]) -> Mapping[str, Any]:
    """Return a schedule and its story for each outcome, by the canonical text, as plain data."""
    explored = allowed_outcomes(litmus.program)
    found = {}
    for outcome in outcomes:
        schedule = list(explored.schedule_to(outcome.canonical))
        story = story_of_trace(trace(litmus.program, schedule), explored.decisive_choice(outcome.canonical))
        found[outcome.canonical] = [schedule, [astuple(moment) for moment in story]]
    return found


def _pictures(test: KnownTest, found: Mapping[str, Any]) -> Iterator[SchedulePicture]:
    assert test.litmus is not None
    for outcome in test.outcomes:
        schedule, story = found[outcome.canonical]
        yield SchedulePicture(
            hashlib.sha256(outcome.canonical.encode()).hexdigest()[:8],
            "\n".join(describe(outcome)),
            [kind.words for kind in test.litmus.kinds if kind.has(outcome)],
            schedule,
            [Moment(*moment) for moment in story],
        )
