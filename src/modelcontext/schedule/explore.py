"""Search through all schedules by trying one beginning after the other.

:func:`every_schedule` tries them all. :func:`search` follows only promising beginnings that lead to a new state. Each run
starts from nothing and replays its beginning.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from modelcontext.schedule import footprint
from modelcontext.schedule.choose import GiveUp, Process
from modelcontext.schedule.footprint import Footprint, Kind

Result = TypeVar("Result", covariant=True)
R = TypeVar("R")


class Searchable(Protocol[Result]):
    """One run of the searched program. It asks its :class:`Choices` what happens next."""

    def run(self) -> None:
        """Set everything up, and run until nothing can happen any more."""

    def result(self) -> Result:
        """Return the result of the ended run."""


class Guide(Protocol):
    """The judge of beginnings, which tells a search when to give up."""

    def is_promising(self, schedule: Sequence[int]) -> bool:
        """Return whether the run is worth continuing after these choices."""

    def whereabouts(self) -> Hashable:
        """Return a key for the state of the run together with its observations so far."""


class StopSearch(Exception):  # noqa: N818 (it is not an error)
    """Raised by the receiver of results to end the search."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort of a search: runs that ended, runs given up, and whether every schedule was covered."""

    ended: int
    given_up: int
    complete: bool

    @property
    def runs(self) -> int:
        """All runs."""
        return self.ended + self.given_up


def every_schedule(
    make: Callable[[Choices], Searchable[R]], take: Callable[[R, list[int]], None], bound: int
) -> Effort:
    """Give the result of every schedule to ``take``, with the schedule; at most ``bound`` runs."""
    return _try_beginnings(lambda choices: (make(choices), None), take, bound, _Silence())


def search(
    make: Callable[[Choices], tuple[Searchable[R], Guide]],
    take: Callable[[R, list[int]], None],
    bound: int,
    *,
    eager: bool = False,
) -> Effort:
    """Give the results of promising schedules to ``take``; at most ``bound`` runs.

    With ``eager``, visible actions are never put off, so that a wrong turn is noticed at once. That finds most results much
    sooner, but not all of them: such a search is never complete.

    ``take`` may get the results of some runs again when structure turns out not to be stable.
    """
    silence = _Silence()
    while True:
        try:
            effort = _try_beginnings(make, take, bound, silence, eager=eager)
            return Effort(effort.ended, effort.given_up, complete=effort.complete and not eager)
        except _StructureChangedError:
            continue


def _try_beginnings(
    make: Callable[[Choices], tuple[Searchable[R], Guide | None]],
    take: Callable[[R, list[int]], None],
    bound: int,
    silence: _Silence,
    *,
    eager: bool = False,
) -> Effort:
    unexplored = [_Beginning([], 0)]
    seen: set[Hashable] = set()
    ended = given_up = 0
    while unexplored:
        if ended + given_up >= bound:
            return Effort(ended, given_up, complete=False)
        choices = Choices(unexplored.pop(), unexplored, seen, silence, eager=eager)
        run, choices.guide = make(choices)
        try:
            run.run()
            choices.arrive()
            ended += 1
            take(run.result(), choices.made)
        except GiveUp:
            given_up += 1
        except StopSearch:
            return Effort(ended, given_up, complete=False)
        finally:
            footprint.record_into(None)
    return Effort(ended, given_up, complete=True)


@dataclass(frozen=True, slots=True)
class _Beginning:
    """Answers to follow, and the number of actions on their way that another run has already performed."""

    answers: list[int]
    known: int


class _StructureChangedError(Exception):
    """Structure that was taken to be stable has changed; the search starts again without that assumption."""


class _Silence:
    """Knowledge about silent actions: those that only read stable structure, and commute with everything."""

    def __init__(self) -> None:
        self._changing: set[Kind] = set()
        self._places: set[Hashable] = set()

    def is_expected_at(self, place: Hashable) -> bool:
        """Return whether the last action there was silent."""
        return place in self._places

    def learn(self, place: Hashable, done: Footprint) -> bool:
        """Take note of an action, and return whether it was silent.

        Raises:
            _StructureChangedError: if it has changed structure of a kind that was taken to be stable.
        """
        changed = {key[0] for key in done.writes if key[0].structure} - self._changing
        if changed:
            self._changing |= changed
            raise _StructureChangedError
        is_silent = not done.writes and all(key[0].structure and key[0] not in self._changing for key in done.reads)
        (self._places.add if is_silent else self._places.discard)(place)
        return is_silent


class Choices:
    """Chooser that follows a beginning, then takes one option everywhere and leaves the others to be explored later.

    Beside a silent action there is nothing to leave: every other action that could have come first can come next.
    """

    def __init__(
        self,
        beginning: _Beginning,
        unexplored: list[_Beginning],
        seen: set[Hashable],
        silence: _Silence,
        *,
        eager: bool,
    ) -> None:
        self._beginning = beginning.answers
        self._known = beginning.known
        self._actions = 0
        self._unexplored = unexplored
        self._seen = seen
        self._silence = silence
        self._eager = eager
        self._others: list[_Beginning] = []
        self._place: Hashable = None
        self._footprint = Footprint()
        self.guide: Guide | None = None
        self.made: list[int] = []

    def arrive(self) -> None:
        """Take note of the state between two actions; give up where it is known or unpromising."""
        footprint.record_into(None)
        is_silent = (
            self.guide is not None and self._place is not None and self._silence.learn(self._place, self._footprint)
        )
        if not is_silent:
            self._unexplored.extend(self._others)
        self._others = []
        if self.guide is None or len(self.made) < len(self._beginning):
            return
        if not self.guide.is_promising(self.made):
            raise GiveUp
        whereabouts = self.guide.whereabouts()
        if whereabouts in self._seen:
            raise GiveUp
        self._seen.add(whereabouts)

    def pick(self, options: Sequence[Process]) -> int:
        """Choose what happens next."""
        self.arrive()
        self._actions += 1
        if len(options) == 1 and self.guide is None:
            return 0
        if self.guide is None:
            return self._choose(range(len(options)), self._others)
        index = self._choose(self._order(options), self._others) if len(options) > 1 else 0
        if self._actions > self._known:
            self._place = options[index].place
            self._footprint = Footprint()
            footprint.record_into(self._footprint)
        return index

    def _order(self, options: Sequence[Process]) -> Sequence[int]:
        """Return the options to try, in order; none where the beginning already decides."""
        if len(self.made) < len(self._beginning):
            return ()
        # Silent actions first, then visible ones, so that a wrong turn is noticed at once.
        order = sorted(
            range(len(options)),
            key=lambda i: (not self._silence.is_expected_at(options[i].place), not options[i].can_be_seen),
        )
        if self._eager and any(option.can_be_seen for option in options):
            return [i for i in order if options[i].can_be_seen]
        return order

    def choose(self, label: str, count: int) -> int:
        """Make a free choice inside an action."""
        return self._choose(range(count), self._unexplored)

    def _choose(self, order: Sequence[int], others: list[_Beginning]) -> int:
        """Answer as the beginning says, or else with the first of ``order``; leave the rest to ``others``."""
        position = len(self.made)
        if position < len(self._beginning):
            answer = self._beginning[position]
        else:
            answer = order[0]
            others.extend(_Beginning([*self.made, other], self._actions - 1) for other in reversed(order[1:]))
        self.made.append(answer)
        return answer
