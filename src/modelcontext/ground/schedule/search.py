"""Search through all schedules by trying one beginning after the other.

:func:`every_schedule` tries them all. :func:`search` follows only promising beginnings that lead to a new state. Each run
starts from nothing and replays its beginning.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Generic, Protocol, TypeVar

from modelcontext.ground.schedule import footprint
from modelcontext.ground.schedule.choose import Chooser, GiveUp, Process, Replay
from modelcontext.ground.schedule.footprint import Footprint, Kind

Result = TypeVar("Result", covariant=True)
R = TypeVar("R")


class Enumerable(Protocol[Result]):
    """One run of the searched program. It asks its chooser what happens next."""

    def run(self) -> object:
        """Set everything up, and run until nothing can happen any more."""

    def result(self) -> Result:
        """Return the result so far."""


class Observable(Enumerable[Result], Protocol[Result]):
    """One run of a program that is searched for a result; what it has observed decides whether it is promising."""

    @property
    def observations(self) -> Sequence[object]:
        """The observations so far."""


class Searchable(Observable[Result], Protocol[Result]):
    """One run of a program that is searched state by state."""

    def whereabouts(self) -> Hashable:
        """Return a key for the state of the run together with its observations so far."""


class StopSearch(Exception):  # noqa: N818 (it is not an error)
    """Raised by the receiver of results to end the search."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort of a search: its runs, and whether it covered every schedule, or was stopped."""

    runs: int
    complete: bool
    stopped: bool = False


class _Enumerating(Replay):
    """Chooser that follows a beginning, then takes the oldest option, and leaves the others to be tried later."""

    def __init__(self, beginning: Sequence[int], untried: list[Sequence[int]]) -> None:
        super().__init__(beginning)
        self._beginning = beginning
        self._untried = untried

    def choose(self, label: str, count: int) -> int:
        if len(self.schedule) >= len(self._beginning):
            self._untried += [[*self.schedule, other] for other in range(count - 1, 0, -1)]
        return super().choose(label, count)


def every_schedule(
    make: Callable[[Chooser], Enumerable[R]], take: Callable[[R, Sequence[int]], None], bound: int
) -> Effort:
    """Give the result of every schedule to ``take``, with the schedule; at most ``bound`` runs."""
    untried: list[Sequence[int]] = [()]
    runs = 0
    while untried and runs < bound:
        chooser = _Enumerating(untried.pop(), untried)
        run = make(chooser)
        run.run()
        runs += 1
        take(run.result(), chooser.schedule)
    return Effort(runs, complete=not untried)


def search(
    make: Callable[[Choices[R]], Searchable[R]],
    is_promising: Callable[[R, Sequence[int]], bool],
    take: Callable[[R, Sequence[int]], None],
    bound: int,
) -> Effort:
    """Give the results of promising schedules to ``take``; at most ``bound`` runs.

    ``is_promising`` says whether a run with this result so far is worth continuing after these choices. It is asked when the
    run has observed something more.

    ``take`` may get the results of some runs again when structure turns out not to be stable.
    """
    return _search(make, is_promising, take, bound, _Silence())


@dataclass(frozen=True, slots=True)
class Late:
    """One process that is late in an attempt.

    Attributes:
        number: which one: the processes whose actions can be seen count from 1, in the order in which they become options.
        passing: how many other actions that can be seen come before the process acts; None for as many as there are.
    """

    number: int
    passing: int | None


class EagerSearch(Generic[R]):
    """A search that never puts off visible actions, so that a wrong turn is noticed at once.

    That finds most results much sooner, but not all of them. An early choice that is wrong and invisible can cost
    hundreds of runs, while most other orders find the result within some dozens. So each attempt begins again. The first
    one tries actions in the order of the options, the others in a random one. Or else one process can be late in an attempt:
    a script that begins to listen when an event has passed is visible, but must not come first.

    It also gives up where the same processes have acted equally often as before, and begins no run that leads there. States
    that differ may be alike in that, but another attempt comes to them in another order, and fingerprints would take more
    than half of the time.

    Args:
        make: makes a run.
        is_promising: as for :func:`search`.
        take: as for :func:`search`.
    """

    def __init__(
        self,
        make: Callable[[Choices[R]], Searchable[R]],
        is_promising: Callable[[R, Sequence[int]], bool],
        take: Callable[[R, Sequence[int]], None],
    ) -> None:
        self._make = make
        self._is_promising = is_promising
        self._take = take
        self._silence = _Silence()
        self._random = random.Random(0)
        self._rank: Callable[[], float] = _in_turn

    def attempt(self, bound: int, late: Late | None = None) -> Effort:
        """Make an attempt, which is complete if nothing was left to try.

        Args:
            bound: the limit of runs.
            late: the process that is late.
        """
        effort = _search(self._make, self._is_promising, self._take, bound, self._silence, self._rank, late)
        self._rank = self._random.random
        return effort


def _in_turn() -> float:
    return 0


def _search(
    make: Callable[[Choices[R]], Searchable[R]],
    is_promising: Callable[[R, Sequence[int]], bool],
    take: Callable[[R, Sequence[int]], None],
    bound: int,
    silence: _Silence,
    rank: Callable[[], float] | None = None,
    late: Late | None = None,
) -> Effort:
    unexplored, seen, runs = _the_start()
    while unexplored and runs < bound:
        beginning = unexplored.pop()
        if beginning.leads_to in seen:
            continue
        runs += 1
        choices = Choices(beginning, unexplored, seen, silence, is_promising, rank, late)
        run = choices.run = make(choices)
        try:
            run.run()
            choices.arrive()
            take(run.result(), choices.made)
        except GiveUp:
            pass
        except StopSearch:
            return Effort(runs, complete=False, stopped=True)
        except _StructureChangedError:
            unexplored, seen, runs = _the_start()
        finally:
            footprint.record_into(None)
    return Effort(runs, complete=not unexplored)


def _the_start() -> tuple[list[_Beginning], set[Hashable], int]:
    """Return what is unexplored, the states seen, and the number of runs."""
    return [_Beginning([], 0)], set(), 0


@dataclass(frozen=True, slots=True)
class _Beginning:
    """The beginning of a run.

    Attributes:
        answers: the answers to follow.
        known: the number of actions on their way that another run has already performed.
        leads_to: the rough state that they lead to, in an eager search.
    """

    answers: list[int]
    known: int
    leads_to: int | None = None


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


class Choices(Generic[R]):
    """Chooser that follows a beginning, then takes one option everywhere and leaves the others to be explored later.

    Beside a silent action there is nothing to leave: every other action that could have come first can come next. With
    ``rank``, the search is eager: actions that can be seen are not put off, but for those of the process that is ``late``, of
    equal ones that of least rank comes first, and states are told apart roughly.
    """

    def __init__(
        self,
        beginning: _Beginning,
        unexplored: list[_Beginning],
        seen: set[Hashable],
        silence: _Silence,
        is_promising: Callable[[R, Sequence[int]], bool],
        rank: Callable[[], float] | None,
        late: Late | None,
    ) -> None:
        self._beginning = beginning.answers
        self._known = beginning.known
        self._actions = 0
        self._observed = 0
        self._unexplored = unexplored
        self._seen = seen
        self._silence = silence
        self._is_promising = is_promising
        self._rank = rank
        self._late = late
        self._visible: dict[int, None] = {}
        self._passed = 0
        self._others: list[_Beginning] = []
        self._place: Hashable = None
        self._footprint = Footprint()
        self._acted: dict[int, int] = {}
        self._free_choices = 0
        self._roughly = 0
        self.run: Searchable[R] | None = None
        self.made: list[int] = []

    def arrive(self) -> None:
        """Take note of the state between two actions; give up where it is known or unpromising."""
        footprint.record_into(None)
        if self._place is None or not self._silence.learn(self._place, self._footprint):
            self._unexplored.extend(self._others)
        self._others = []
        if len(self.made) < len(self._beginning):
            return
        assert self.run is not None
        observed = len(self.run.observations)
        if observed > self._observed:
            self._observed = observed
            if not self._is_promising(self.run.result(), self.made):
                raise GiveUp
        whereabouts = self._roughly if self._rank is not None else self.run.whereabouts()
        if whereabouts in self._seen:
            raise GiveUp
        self._seen.add(whereabouts)

    def pick(self, options: Sequence[Process]) -> int:
        """Choose what happens next."""
        if self._late is not None:
            self._visible.update((option.sequence, None) for option in options if option.can_be_seen)
        late = self._put_off()
        index = self._next(options)
        acting = options[index]
        if self._rank is not None:
            self._roughly = self._after(acting)
            self._acted[acting.sequence] = self._acted.get(acting.sequence, 0) + 1
        if late is not None and acting.can_be_seen and acting.sequence != late:
            self._passed += any(option.sequence == late for option in options)
        return index

    def _put_off(self) -> int | None:
        """Return the process that is late now, if there is one."""
        late = self._late
        if late is None or len(self._visible) < late.number or self._passed == late.passing:
            return None
        return next(islice(self._visible, late.number - 1, None))

    def _next(self, options: Sequence[Process]) -> int:
        if self._actions < self._known and len(self.made) < len(self._beginning):
            # Another run has taken note of this state and of the action that follows.
            self._actions += 1
            return self._choose((), options, self._others) if len(options) > 1 else 0
        self.arrive()
        self._actions += 1
        index = self._choose(self._order(options), options, self._others) if len(options) > 1 else 0
        if self._actions > self._known:
            self._place = options[index].place
            self._footprint = Footprint()
            footprint.record_into(self._footprint)
        return index

    def _order(self, options: Sequence[Process]) -> Sequence[int]:
        """Return the options to try, in order; none where the beginning already decides."""
        if len(self.made) < len(self._beginning):
            return ()
        rank = self._rank
        late = self._put_off()
        is_late = [option.sequence == late for option in options]
        # Silent actions first, then visible ones, so that a wrong turn is noticed at once.
        order = sorted(
            range(len(options)),
            key=lambda i: (
                is_late[i],
                not self._silence.is_expected_at(options[i].place),
                not options[i].can_be_seen,
                rank() if rank is not None else 0,
            ),
        )
        if rank is not None:
            visible = [i for i in order if options[i].can_be_seen and not is_late[i]]
            return visible or order
        return order

    def choose(self, label: str, count: int) -> int:
        """Make a free choice inside an action."""
        answer = self._choose(range(count), (), self._unexplored)
        self._free_choices += 1
        self._roughly ^= hash((0, self._free_choices, answer))
        return answer

    def _after(self, acting: Process) -> int:
        """Return a key that states share in which the same processes have acted equally often, once this one has acted."""
        number = acting.sequence
        return self._roughly ^ hash((number, self._acted.get(number, 0)))

    def _choose(self, order: Sequence[int], options: Sequence[Process], others: list[_Beginning]) -> int:
        """Answer as the beginning says, or else with the first of ``order``; leave the rest to ``others``.

        In an eager search the rest is left out where it leads to a state that is known when its turn comes.
        """
        position = len(self.made)
        if position < len(self._beginning):
            answer = self._beginning[position]
        else:
            answer = order[0]
            foresees = self._rank is not None and bool(options)
            others.extend(
                _Beginning([*self.made, other], self._actions - 1, self._after(options[other]) if foresees else None)
                for other in reversed(order[1:])
            )
        self.made.append(answer)
        return answer
