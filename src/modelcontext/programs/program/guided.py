"""The guided search for one observed outcome, in attempts: each kind finds what the others miss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import cycle
from typing import TYPE_CHECKING, Final

from modelcontext.ground.schedule.choose import FirstInFirstOut
from modelcontext.ground.schedule.search import Late
from modelcontext.programs.program.outcome import canonical_entry

if TYPE_CHECKING:
    from modelcontext.ground.schedule.choose import Chooser
    from modelcontext.ground.schedule.climb import Climb
    from modelcontext.ground.schedule.search import EagerSearch, Effort
    from modelcontext.programs.program.interpreter import Run
    from modelcontext.programs.program.outcome import Outcome

#: The limits of runs for the first attempt, and for each of the short ones after it.
FIRST_BOUND: Final = 60
SHORT_BOUND: Final = 25

#: The limit of runs in a round for the kind of attempt that is the most promising.
LEADING_BOUND: Final = 2_000

#: The limit for each of the other kinds, in the first round and in later ones.
FOLLOWING_BOUND: Final = 300
LATER_FOLLOWING_BOUND: Final = 1_200

#: The limits of runs for one attempt in a round, by kind.
BOUNDS: Final = {"eager": 2_000, "climb": 300, "late": 60, "later": 200}

#: The processes that are late in attempts, in turn: in most programs, the first two that can be seen are scripts.
LATE: Final = tuple(Late(number, passing) for passing in (3, 2, 1, 4, 5) for number in (2, 1))

#: Those of later rounds, in which attempts are longer: scripts that more others pass, and other processes, in turn.
LATER: Final = tuple(
    late
    for script, passing, other in ((1, 6, 6), (2, 6, 5), (2, 8, 4), (1, 8, 3), (1, 5, 7), (2, 5, 8))
    for late in (Late(script, passing), Late(other, None))
)

#: The number of short attempts.
SHORT_ONES: Final = 5

#: The number of rounds of attempts that :meth:`GuidedSearch.more_rounds` makes.
ROUNDS: Final = 3


class GuidedSearch:
    """The search for one outcome, in attempts.

    Args:
        eager: makes the attempts of all kinds but ``climb``.
        climb: makes those of the kind ``climb``.
        bound: the limit of runs of each kind.
        make: makes a run that no attempt counts.
        observed: the outcome.
    """

    def __init__(
        self,
        eager: EagerSearch[Outcome],
        climb: Climb[Outcome],
        bound: int,
        make: Callable[[Chooser], Run],
        observed: Outcome,
    ) -> None:
        self._eager = eager
        self._climb = climb
        self._left = dict.fromkeys(BOUNDS, bound)
        self._make = make
        self._observed = observed
        self._late = {"late": cycle(LATE), "later": cycle(LATER)}

    def first(self) -> Iterator[Effort]:
        """Make the first attempt."""
        yield self._attempt("eager", FIRST_BOUND)

    def short_ones_and_a_round(self) -> Iterator[Effort]:
        """Make short attempts, which find many outcomes with little effort, then one long attempt of each kind."""
        for _ in range(SHORT_ONES):
            yield self._attempt("late", SHORT_BOUND)
        yield from self._round(FOLLOWING_BOUND)

    def more_rounds(self) -> Iterator[Effort]:
        """Make more attempts of each kind, and others in which one process is late."""
        for _ in range(ROUNDS):
            yield from self._round(LATER_FOLLOWING_BOUND, "later")

    @cached_property
    def _by_promise(self) -> Sequence[str]:
        """The kinds of attempts, the most promising first, as one run tells.

        An outcome with the entries of that run, in another order, is found by eager attempts. One that lacks some of them
        needs a process that is late, and one with others is found by climbs.
        """
        usual, meant = _entries(self._make(FirstInFirstOut()).run()), _entries(self._observed)
        if meant - usual:
            return "climb", "late", "eager"
        return ("late", "climb", "eager") if usual - meant else ("eager", "climb", "late")

    def _round(self, following: int, *more: str) -> Iterator[Effort]:
        for kind in (*more, *self._by_promise):
            left = LEADING_BOUND if kind == self._by_promise[0] else following
            while left > 0:
                yield self._attempt(kind, min(left, BOUNDS[kind]))
                left -= BOUNDS[kind]

    def _attempt(self, kind: str, runs: int) -> Effort:
        runs = min(runs, self._left[kind])
        if kind == "climb":
            effort = self._climb.attempt(runs)
        else:
            effort = self._eager.attempt(runs, next(self._late[kind]) if kind in self._late else None)
        self._left[kind] -= effort.runs
        return effort


def _entries(outcome: Outcome) -> Counter[str]:
    return Counter(canonical_entry(entry) for log in outcome.logs.values() for entry in log)
