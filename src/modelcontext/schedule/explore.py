"""Running something under all its schedules.

Two ways: :func:`every_schedule` enumerates naively, and :func:`every_state` leaves out beginnings that lead to a state
which another beginning has led to already. Both give the same results; the second gives them sooner. Each run starts
from nothing and replays its beginning, so nothing of a world needs to be copied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from modelcontext.infra import footprint
from modelcontext.schedule.trace import Actions, State, StructureChangedError, TraceJournal

Result = TypeVar("Result", covariant=True)
R = TypeVar("R")


class Explorable(Protocol[Result]):
    """One run of whatever is explored. It keeps its journal from before anything is created."""

    def start(self) -> None:
        """Set everything up."""

    def enabled(self) -> Sequence[object]:
        """Return the identities of the actions that can happen next."""

    def perform(self, index: int) -> None:
        """Perform one of them."""

    def is_promising(self, schedule: Sequence[int]) -> bool:
        """Return whether going on makes sense after these choices; a run that is not is given up, and counts as no result."""

    def result(self) -> Result:
        """Return the result of the ended run."""


class StopExploration(Exception):  # noqa: N818 (it is no error)
    """Raised by whoever takes a result, to have no more of them."""


@dataclass(frozen=True, slots=True)
class Effort(Generic[R]):
    """What an exploration took: runs that ended, runs given up, and whether nothing was left out."""

    ended: int
    given_up: int
    complete: bool

    @property
    def runs(self) -> int:
        """All runs."""
        return self.ended + self.given_up


#: Makes a run whose inner choices are made by the given function, with a journal or without.
Make = Callable[[Callable[[str, int], int], TraceJournal | None], Explorable[R]]


def every_schedule(make: Make[R], take: Callable[[R, list[int]], None], bound: int) -> Effort[R]:
    """Give every result of every schedule to ``take``, with the schedule; at most ``bound`` runs."""
    return _explore(make, take, bound, None)


def every_state(make: Make[R], take: Callable[[R, list[int]], None], bound: int) -> Effort[R]:
    """Give the result of at least one schedule of each equivalence class to ``take``; at most ``bound`` runs.

    ``take`` may get the results of some runs again when structure turns out not to be stable.
    """
    actions = Actions()
    while True:
        try:
            return _explore(make, take, bound, actions)
        except StructureChangedError:
            continue


def _explore(make: Make[R], take: Callable[[R, list[int]], None], bound: int, actions: Actions | None) -> Effort[R]:
    unexplored: list[list[int]] = [[]]
    seen: set[State] = set()
    ended = given_up = 0
    while unexplored:
        if ended + given_up >= bound:
            return Effort(ended, given_up, complete=False)
        journal = TraceJournal(actions) if actions is not None else None
        choices = _Choices(unexplored.pop(), unexplored, journal)
        run = make(choices.choose_inside, journal)
        try:
            if _run_to_its_end(run, choices, journal, seen):
                ended += 1
                take(run.result(), choices.made)
            else:
                given_up += 1
        except StopExploration:
            return Effort(ended, given_up, complete=False)
        finally:
            footprint.record_into(None)
    return Effort(ended, given_up, complete=True)


def _run_to_its_end(run: Explorable[R], choices: _Choices, journal: TraceJournal | None, seen: set[State]) -> bool:
    """Run on; return False where the run is given up."""
    run.start()
    while identities := run.enabled():
        run.perform(choices.choose_action(identities))
        choices.explore_the_others_later()
        if choices.is_replaying:
            continue
        if not run.is_promising(choices.made):
            return False
        if journal is not None:
            state = journal.state
            if state in seen:
                return False
            seen.add(state)
    return True


class _Choices:
    """Follows a beginning, then goes on with one option everywhere and leaves the others to be explored later.

    Where an action turns out to be silent there is nothing to leave: whatever else could have come first can come next.
    """

    def __init__(self, beginning: list[int], unexplored: list[list[int]], journal: TraceJournal | None) -> None:
        self._beginning = beginning
        self._unexplored = unexplored
        self._journal = journal
        self._others: list[list[int]] = []
        self.made: list[int] = []

    @property
    def is_replaying(self) -> bool:
        """Whether the run is still on the beginning that an earlier run has been on."""
        return len(self.made) < len(self._beginning)

    def choose_action(self, identities: Sequence[object]) -> int:
        """Choose one of the enabled actions."""
        preferred = 0
        if self._journal is not None and not self.is_replaying:
            for index, identity in enumerate(identities):
                if self._journal.is_expected_to_be_silent(identity):
                    preferred = index
                    break
        return self._choose(len(identities), preferred, self._others)

    def explore_the_others_later(self) -> None:
        """The chosen action has been performed: leave the other ones for later, unless it was silent."""
        if self._others and not (self._journal is not None and self._journal.is_silent()):
            self._unexplored.extend(self._others)
        self._others = []

    def choose_inside(self, label: str, count: int) -> int:
        """Make a free choice inside an action."""
        answer = self._choose(count, 0, self._unexplored)
        if self._journal is not None and count > 1:
            self._journal.chose(answer)
        return answer

    def _choose(self, count: int, preferred: int, others: list[list[int]]) -> int:
        if count == 1:
            return 0
        position = len(self.made)
        if position < len(self._beginning):
            answer = self._beginning[position]
        else:
            answer = preferred
            others.extend([*self.made, other] for other in reversed(range(count)) if other != answer)
        self.made.append(answer)
        return answer
