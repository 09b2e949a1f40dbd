"""Climb to one result: change the schedule that came closest to it, again and again.

A *ranking* gives each process of a run a random rank. Of the processes that can act, the one of least rank does. So a ranking
is a schedule with few decisions: it says which processes hurry and which are late, not who acts at each of a hundred
choices. Most results have many rankings. A run gives up where it leaves the way to the result, and the ranking that came
furthest is kept, with some ranks drawn anew.

Nothing is remembered of states: a climb covers nothing, but its runs cost a fraction of those of a search.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Final, Generic, TypeVar

from modelcontext.ground.schedule.choose import Chooser, GiveUp, Process
from modelcontext.ground.schedule.search import Effort, Observable, StopSearch

R = TypeVar("R")

#: The share of ranks that each run draws anew.
_DRAWN_ANEW: Final = 0.3

#: The number of runs without progress after which a climb begins again at the foot.
_PATIENCE: Final = 50


class Climb(Generic[R]):
    """A climb.

    Args:
        make: makes a run that asks a chooser what happens next.
        is_promising: says whether a run with this result so far is on the way, after these choices.
        take: gets the results of runs that come to their end, with their schedules.
    """

    def __init__(
        self,
        make: Callable[[Chooser], Observable[R]],
        is_promising: Callable[[R, Sequence[int]], bool],
        take: Callable[[R, Sequence[int]], None],
    ) -> None:
        self._make = make
        self._is_promising = is_promising
        self._take = take
        self._random = random.Random(0)
        self._ranks: dict[int, float] = {}
        self._height = 0
        self._waited = 0

    def attempt(self, bound: int) -> Effort:
        """Go on with the climb; at most ``bound`` runs."""
        for runs in range(1, bound + 1):
            ranking = _Ranking(self._ranks, self._random, self._is_promising)
            run = ranking.run = self._make(ranking)
            try:
                run.run()
                ranking.arrive()
                self._take(run.result(), ranking.made)
            except GiveUp:
                pass
            except StopSearch:
                return Effort(runs, complete=False, stopped=True)
            self._weigh(ranking)
        return Effort(bound, complete=False)

    def _weigh(self, ranking: _Ranking[R]) -> None:
        """Keep the ranks of a run that came as far as any other; forget them all where they lead no further."""
        self._waited = 0 if ranking.height > self._height else self._waited + 1
        if self._waited > _PATIENCE:
            self._ranks, self._height, self._waited = {}, 0, 0
        elif ranking.height >= self._height:
            self._ranks, self._height = ranking.ranks, ranking.height


class _Ranking(Chooser, Generic[R]):
    """Chooser that lets the process of least rank act, and gives up where the run is not promising.

    It draws most ranks as in ``before``. Free choices inside actions have ranks too, under negative numbers.
    """

    def __init__(
        self,
        before: dict[int, float],
        chance: random.Random,
        is_promising: Callable[[R, Sequence[int]], bool],
    ) -> None:
        self._before = before
        self._random = chance
        self._is_promising = is_promising
        self._free_choices = 0
        self.run: Observable[R] | None = None
        self.ranks: dict[int, float] = {}
        self.made: list[int] = []
        self.height = 0

    def arrive(self) -> None:
        """Take note of the state between two actions; give up where it is unpromising."""
        assert self.run is not None
        height = len(self.run.observations)
        if height > self.height:
            if not self._is_promising(self.run.result(), self.made):
                raise GiveUp
            self.height = height

    def pick(self, options: Sequence[Process]) -> int:
        """Choose what happens next."""
        self.arrive()
        if len(options) == 1:
            return 0
        index = min(range(len(options)), key=lambda index: self._rank(options[index].sequence))
        self.made.append(index)
        return index

    def choose(self, label: str, count: int) -> int:
        """Make a free choice inside an action."""
        self._free_choices += 1
        answer = int(self._rank(-self._free_choices) * count)
        self.made.append(answer)
        return answer

    def _rank(self, number: int) -> float:
        rank = self.ranks.get(number)
        if rank is None:
            rank = self._before.get(number)
            if rank is None or self._random.random() < _DRAWN_ANEW:
                rank = self._random.random()
            self.ranks[number] = rank
        return rank
