"""The mutants of the text that races notice, and the smallest set of races that notices them all."""

from __future__ import annotations

import json
import linecache
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from modelcontext.ground.files import write_whole
from modelcontext.judging.litmus.races.classes import ExploredRace, Sort
from modelcontext.judging.litmus.races.writing import program_of
from modelcontext.spec.revisions.registry import CURRENT
from tools.lab.mutants.compiling import Refused, UnchangedText, linked
from tools.lab.mutants.making import Kind, Mutant, mutants
from tools.lab.mutants.subjects import Subject, behavior_of
from tools.lab.mutants.trial import digest_of_the_model

if TYPE_CHECKING:
    from modelcontext.judging.litmus.races.actions import Deed
    from modelcontext.judging.litmus.races.enumeration import Race

#: The record of a checkout.
RECORD: Final = Path("build", "race-mutants.json")
#: The faults that are tried.
KINDS: Final = (Kind.REMOVED, Kind.NOT_PARALLEL)
#: The algorithms that tasks, documents or parallel steps share.
ALGORITHMS: Final = (
    "notify-documents-of-a-tool-change",
    "unregister-a-tool",
    "collect-registered-tools",
    "find-a-tool-to-execute",
    "run-the-tool-execute-steps",
    "imperative-execute-steps",
    "cancel-a-pending-execution",
    "unloading-document-cleanup",
    "dom-modelcontext-registertool",
    "dom-modelcontext-gettools",
    "dom-modelcontext-executetool",
    "schedule-a-tool-update",
    "update-the-tool-of-a-form",
    "withdraw-the-tool-of-a-form",
    "end-the-execution-of-a-form",
    "interrupt-the-execution-of-a-form",
)
#: Races with more transitions do not run with mutants.
MOST: Final = 100
_RECORDED: Final = 10


# The end of the trial of a mutant with races; the other one is with programs.
class End(StrEnum):
    """What became of a mutant."""

    REFUSED = "refused"
    EQUIVALENT = "equivalent"
    NOTICED = "noticed"
    SURVIVED = "survived"


@dataclass(frozen=True, slots=True)
class Noticed:
    """A mutant, its end, and the races that notice it."""

    name: str
    end: End
    by: tuple[str, ...] = ()

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Noticed:
        """Return the mutant that its fields, as data for JSON, describe."""
        return cls(data["name"], End(data["end"]), tuple(data["by"]))


def subjects_of(races: Sequence[tuple[Race, ExploredRace]]) -> Sequence[Subject]:
    """Return races for trials: for each pair of deeds the smallest race that decides what happens, or an order."""
    found: dict[frozenset[Deed], tuple[bool, int, str, Race]] = {}
    for race, explored in races:
        if explored.sort in (Sort.ENTRIES, Sort.ORDER):
            one = (explored.sort is Sort.ORDER, explored.transitions, str(race), race)
            pair = frozenset(action.kind for action in race.actions)
            found[pair] = min(found.get(pair, one), one)
    chosen = sorted(one for one in found.values() if one[1] <= MOST)
    return [Subject(name, program_of(race), "", behavior_of(program_of(race))) for _, _, name, race in chosen]


class Trials:
    """The trials of mutants with races."""

    def __init__(self, root: Path, subjects: Sequence[Subject]) -> None:
        self._root, self._subjects = root, subjects
        self._unchanged = UnchangedText((root / CURRENT.text).read_text(encoding="utf-8"), CURRENT.text)
        #: All mutants, and those that are tried.
        self.made = tuple(mutants(self._unchanged.compiled.program.text))
        self.mutants = [one for one in self.made if one.kind in KINDS and one.algorithm in ALGORITHMS]
        self._key = [digest_of_the_model(root), [one.name for one in subjects]]
        self._known: dict[str, Noticed] = {}
        try:
            found = json.loads((root / RECORD).read_text(encoding="utf-8"))
            if found["key"] == self._key:
                self._known = {one["name"]: Noticed.from_data(one) for one in found["mutants"]}
        except (OSError, ValueError, KeyError, TypeError):
            pass  # There is no record, or another version wrote it.

    def run(self, advance: Callable[[int], None] = lambda count: None) -> Iterator[Noticed]:
        """Yield each mutant with the races that notice it."""
        for number, mutant in enumerate(self.mutants):
            if mutant.name not in self._known:
                self._known[mutant.name] = self._tried(mutant)
                # The sources of a revision that nobody needs any more.
                linecache.clearcache()
                if number % _RECORDED == 0:
                    self.write()
            advance(1)
            yield self._known[mutant.name]
        self.write()

    def write(self) -> None:
        """Write the record.

        Raises:
            WriteError: if the file cannot be written.
        """
        (self._root / RECORD).parent.mkdir(exist_ok=True)
        tried = [asdict(one) for one in self._known.values()]
        write_whole(self._root / RECORD, json.dumps({"key": self._key, "mutants": tried}) + "\n")

    def _tried(self, mutant: Mutant) -> Noticed:
        compiled = self._unchanged.changed_by(mutant)
        if isinstance(compiled, Refused):
            return Noticed(mutant.name, End.REFUSED)
        if self._unchanged.is_equivalent(compiled):
            return Noticed(mutant.name, End.EQUIVALENT)
        with linked(compiled) as revision:
            reaching = [one for one in self._subjects if not one.behavior.steps.isdisjoint(mutant.steps)]
            by = tuple(one.name for one in reaching if one.notices(revision) is not None)
        return Noticed(mutant.name, End.NOTICED if by else End.SURVIVED, by)


def smallest_set(rows: Sequence[Sequence[str]]) -> Sequence[str]:
    """Return a smallest set with a member of each row, by branch and bound; no row is empty."""
    # A row that has all of another one is met when that one is.
    sets = sorted({frozenset(row) for row in rows}, key=lambda one: (len(one), sorted(one)))
    needed = [one for one in sets if not any(other < one for other in sets)]
    best = _greedy(needed)

    def search(left: Sequence[frozenset[str]], taken: tuple[str, ...]) -> None:
        nonlocal best
        if not left:
            if len(taken) < len(best):
                best = taken
            return
        if len(taken) + _disjoint(left) >= len(best):
            return
        row = min(left, key=lambda one: len(one))
        for name in sorted(row, key=lambda name: (-sum(name in row for row in left), name)):
            search([row for row in left if name not in row], (*taken, name))

    search(needed, ())
    return sorted(best)


def _greedy(rows: Sequence[frozenset[str]]) -> tuple[str, ...]:
    taken: list[str] = []
    left = list(rows)
    while left:
        names = sorted({name for row in left for name in row})
        taken.append(max(names, key=lambda name: sum(name in row for row in left)))
        left = [row for row in left if taken[-1] not in row]
    return tuple(taken)


def _disjoint(rows: Sequence[frozenset[str]]) -> int:
    """Return the number of rows of which no two share a member: each needs a member of its own."""
    met: set[str] = set()
    count = 0
    for row in rows:
        if met.isdisjoint(row):
            met |= row
            count += 1
    return count
