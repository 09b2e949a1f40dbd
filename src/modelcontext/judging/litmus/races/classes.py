"""The classes of races: those whose programs have the same outcomes, up to the names of their documents."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from modelcontext.judging.litmus.races.actions import FRAME, TOP
from modelcontext.judging.litmus.races.writing import program_of
from modelcontext.platform.html.user_agent import RunawayError
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.outcome import canonical_entry, loads

if TYPE_CHECKING:
    from modelcontext.judging.litmus.races.enumeration import Race
    from modelcontext.programs.program.outcome import Outcome

_NAMES: Final = re.compile(rf'"({TOP}|{FRAME})(: [^"]*)?"')


class Sort(StrEnum):
    """The difference that the order of a race makes."""

    #: There is one outcome, whatever comes first.
    NOTHING = "nothing"
    #: All outcomes have the same entries.
    ORDER = "the order of entries only"
    #: The entries differ.
    ENTRIES = "what happens"
    #: The search reached its bound.
    UNDECIDED = "undecided"
    #: A schedule gives itself new work forever.
    ENDLESS = "endless"


@dataclass(frozen=True, slots=True)
class ExploredRace:
    """A race that was explored: ``key`` is that of its class, which is the set of its outcomes."""

    race: str
    sort: Sort
    key: str
    outcomes: int
    transitions: int

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> ExploredRace:
        """Return the race that its fields, as data for JSON, describe."""
        return cls(**{**data, "sort": Sort(data["sort"])})


def explore_race(race: Race, bound: int) -> ExploredRace:
    """Explore a race."""
    try:
        found = allowed_outcomes(program_of(race), bound=bound)
    except RunawayError:
        return ExploredRace(str(race), Sort.ENDLESS, "", 0, 0)
    count = len(found.outcomes)
    if not found.complete:
        return ExploredRace(str(race), Sort.UNDECIDED, "", count, found.transitions)
    outcomes = list(found.outcomes.values())
    sort = Sort.NOTHING if count == 1 else Sort.ORDER if len({_entries(one) for one in outcomes}) == 1 else Sort.ENTRIES
    return ExploredRace(str(race), sort, key_of(found.outcomes), count, found.transitions)


def key_of(outcomes: Iterable[str]) -> str:
    """Return the key of a set of outcomes in canonical text, which is the same if the two documents are exchanged."""
    texts = sorted(outcomes)
    exchanged = sorted(loads(_NAMES.sub(_exchanged, text)).canonical for text in texts)
    return hashlib.sha256(min("\n".join(texts), "\n".join(exchanged)).encode()).hexdigest()[:12]


def smallest_of_classes(explored: Sequence[ExploredRace]) -> Iterator[tuple[ExploredRace, int]]:
    """Yield the smallest race of each class with several outcomes, and the number of races of the class."""
    classes: dict[str, list[ExploredRace]] = {}
    for one in explored:
        if one.sort in (Sort.ORDER, Sort.ENTRIES):
            classes.setdefault(one.key, []).append(one)
    for some in classes.values():
        yield min(some, key=lambda one: (one.transitions, len(one.race), one.race)), len(some)


def _exchanged(match: re.Match[str]) -> str:
    return f'"{FRAME if match[1] == TOP else TOP}{match[2] or ""}"'


def _entries(outcome: Outcome) -> tuple[object, ...]:
    """Return what an outcome has, without the order of its entries."""
    logs = tuple((name, tuple(sorted(map(canonical_entry, log)))) for name, log in outcome.logs.items())
    return (logs, tuple(outcome.pending))
