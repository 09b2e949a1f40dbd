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
    """One run of whatever is explored. It asks its :class:`Choices` what happens next."""

    def run(self) -> None:
        """Set everything up, and run until nothing can happen any more."""

    def is_promising(self, schedule: Sequence[int]) -> bool:
        """Return whether going on makes sense after these choices; a run that is not is given up, without a result."""

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


#: Makes a run whose choices are made by the given object, with a journal (from before anything is created) or without.
Make = Callable[["Choices", TraceJournal | None], Explorable[R]]


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
        choices = Choices(unexplored.pop(), unexplored, journal, seen)
        run = make(choices, journal)
        choices.is_promising = run.is_promising
        try:
            run.run()
            choices.arrive()
            ended += 1
            take(run.result(), choices.made)
        except _GiveUp:
            given_up += 1
        except StopExploration:
            return Effort(ended, given_up, complete=False)
        finally:
            footprint.record_into(None)
    return Effort(ended, given_up, complete=True)


class _GiveUp(BaseException):
    """Unwinds a run that leads nowhere new, through whatever it is in the middle of."""


class Choices:
    """Follows a beginning, then goes on with one option everywhere and leaves the others to be explored later.

    Where an action turns out to be silent there is nothing to leave: whatever else could have come first can come next.
    """

    def __init__(
        self, beginning: list[int], unexplored: list[list[int]], journal: TraceJournal | None, seen: set[State]
    ) -> None:
        self._beginning = beginning
        self._unexplored = unexplored
        self._journal = journal
        self._seen = seen
        self._others: list[list[int]] = []
        self.is_promising: Callable[[Sequence[int]], bool] = lambda schedule: True
        self.made: list[int] = []

    def arrive(self) -> None:
        """Take note of the state between two actions; give up where it is known or unpromising."""
        if self._others:
            if self._journal is None or not self._journal.is_silent():
                self._unexplored.extend(self._others)
            self._others = []
        if len(self.made) < len(self._beginning):
            return
        if not self.is_promising(self.made):
            raise _GiveUp
        if self._journal is not None:
            state = self._journal.state
            if state in self._seen:
                raise _GiveUp
            self._seen.add(state)

    def pick(self, identities: Sequence[object]) -> int:
        """Choose what happens next; None among the identities stands for going on with a task."""
        self.arrive()
        preferred = 0
        if self._journal is not None and len(self.made) >= len(self._beginning):
            for index, identity in enumerate(identities):
                if identity is not None and self._journal.is_expected_to_be_silent(identity):
                    preferred = index
                    break
        return self._choose(len(identities), preferred, self._others)

    def choose(self, label: str, count: int) -> int:
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
