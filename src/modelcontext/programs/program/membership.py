"""The membership of an observed outcome in those that the specification allows a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from modelcontext.ground.schedule.climb import Climb
from modelcontext.ground.schedule.search import EagerSearch, StopSearch, search
from modelcontext.programs.program.departure import Follower
from modelcontext.programs.program.exploration import BOUND, allowed_outcomes, run_once
from modelcontext.programs.program.guided import GuidedSearch
from modelcontext.programs.program.interpreter import Run

if TYPE_CHECKING:
    from modelcontext.ground.schedule.search import Effort
    from modelcontext.programs.program.departure import Departure
    from modelcontext.programs.program.exploration import Locator
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.outcome import Outcome
    from modelcontext.spec.revisions.revision import Revision

#: The limits of runs for the explorations of a question, if it is not the bound. Attempts come before each.
EXPLORATIONS: Final = (30, 2_000, None)

#: The limit of runs for finding where a forbidden outcome leaves the allowed ones.
DEPARTURE_BOUND: Final = 5_000


@dataclass(frozen=True, slots=True)
class Membership:
    """The answer to whether an observed outcome is one of the allowed ones.

    An allowed outcome has a ``schedule`` that shows it. A forbidden one leaves the allowed ones at ``departure``. For an
    undecided one the search reached its limit of ``bound`` runs.
    """

    kind: Literal["allowed", "forbidden", "undecided"]
    runs: int
    bound: int
    schedule: Sequence[int] | None = None
    departure: Departure | None = None


def judge(
    program: Program,
    observed: Outcome,
    *,
    bound: int = BOUND,
    locator: Locator | None = None,
    revision: Revision | None = None,
    is_pinned: bool = False,
) -> Membership:
    """Return whether the specification allows an observed outcome.

    Attempts to find it come first: eager searches along its logs, others in which one process is late, and climbs. Each kind
    finds what the others miss; one run tells which is the most promising. In between, the outcome is looked for among all
    allowed ones, which decides about small programs. If there are too many outcomes for that, a full search along the logs
    follows.

    Args:
        program: the program.
        observed: the observed outcome.
        bound: the limit of runs for each search.
        locator: finds the steps that the allowed entries of a departure follow from.
        revision: the revision to run; the program's own by default.
        is_pinned: the logs decide most of the order, so that the full search along them comes after one attempt.

    Raises:
        RunawayError: if the program schedules itself forever.
        SpecAssertionError: if the specification, or the model, has a bug.
    """
    question = _Question(program, observed, bound, locator, revision)
    answer = question.answer_at_once() if is_pinned else question.answer_in_stages()
    return answer or question.answer_by_a_full_search()


class _Question:
    """The question whether one outcome is allowed, with what the searches for it have found so far."""

    def __init__(
        self, program: Program, observed: Outcome, bound: int, locator: Locator | None, revision: Revision | None
    ) -> None:
        self._program = program
        self._observed = observed
        self._bound = bound
        self._locator = locator
        self._revision = revision
        self._make = partial(Run, program, revision=revision)
        self._follower = Follower(observed)
        self._found: Sequence[int] | None = None
        self._runs = 0

    def answer_at_once(self) -> Membership | None:
        """Attempt to find the outcome once; None leaves it undecided."""
        eager = EagerSearch(self._make, self._follower.is_on_the_way, self._take)
        return self._allowed(self._found) if self._is_found_by([eager.attempt(self._bound)]) else None

    def answer_in_stages(self) -> Membership | None:
        """Attempt to find the outcome, then explore, with more of both from stage to stage; None leaves it undecided."""
        eager = EagerSearch(self._make, self._follower.is_on_the_way, self._take)
        climb = Climb(self._make, self._follower.is_on_the_way, self._take)
        attempts = GuidedSearch(eager, climb, self._bound, self._make, self._observed)
        stages = (attempts.first, attempts.short_ones_and_a_round, attempts.more_rounds)
        for stage, limit in zip(stages, EXPLORATIONS, strict=True):
            if self._is_found_by(stage()):
                return self._allowed(self._found)
            least = min(limit or self._bound, self._bound)
            allowed = allowed_outcomes(self._program, bound=least, revision=self._revision, until=self._observed)
            self._runs += allowed.runs
            if self._observed.canonical in allowed.outcomes:
                return self._allowed(allowed.schedule_to(self._observed.canonical))
            if allowed.complete:
                if self._locator is not None:
                    self._search(min(self._bound, DEPARTURE_BOUND))
                return self._forbidden()
            if allowed.bound == self._bound:
                break
        return None

    def answer_by_a_full_search(self) -> Membership:
        """Search along the logs of the outcome, which leaves out all other runs."""
        effort = self._search(self._bound)
        if self._is_found_by([effort]):
            return self._allowed(self._found)
        return self._forbidden() if effort.complete else Membership("undecided", self._runs, self._bound)

    def _search(self, bound: int) -> Effort:
        return search(self._make, self._follower.is_on_the_way, self._take, bound)

    def _take(self, outcome: Outcome, schedule: Sequence[int]) -> None:
        if outcome.canonical == self._observed.canonical:
            self._found = list(schedule)
            raise StopSearch
        self._follower.ended_short(outcome, schedule)

    def _is_found_by(self, efforts: Iterable[Effort]) -> bool:
        """Count the runs of efforts up to the one that finds the outcome, and return whether one did."""
        for effort in efforts:
            self._runs += effort.runs
            if self._found is not None:
                return True
        return False

    def _allowed(self, schedule: Sequence[int] | None) -> Membership:
        return Membership("allowed", self._runs, self._bound, schedule=schedule)

    def _forbidden(self) -> Membership:
        return Membership("forbidden", self._runs, self._bound, departure=self._follower.departure(self._sources_of))

    def _sources_of(self, schedule: Sequence[int]) -> Mapping[str, Sequence[object]]:
        return run_once(self._program, schedule, self._locator, self._revision).sources
