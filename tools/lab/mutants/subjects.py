"""The programs and litmus tests on trial, with the outcomes and the steps that they reach in the unchanged text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from modelcontext.ground.words import counted
from modelcontext.platform.infra.errors import SpecAssertionError
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.tracing.probes import Collector
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.spec.revisions.revision import Revision

#: A mutant may need this multiple of the runs of the unchanged text, and this number of runs in any case.
_TIMES, _LEAST = 10, 1000


@dataclass(frozen=True, slots=True)
class Behavior:
    """The behavior of a program in the unchanged text: its outcomes in canonical text, the reached steps, and its effort."""

    outcomes: frozenset[str]
    steps: frozenset[str]
    runs: int
    transitions: int

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Behavior:
        """Return the behavior that :meth:`to_data` wrote."""
        return cls(frozenset(data["outcomes"]), frozenset(data["steps"]), data["runs"], data["transitions"])

    def to_data(self) -> dict[str, Any]:
        """Return the behavior as data for JSON."""
        return {
            "outcomes": sorted(self.outcomes),
            "steps": sorted(self.steps),
            "runs": self.runs,
            "transitions": self.transitions,
        }


@dataclass(frozen=True, slots=True)
class Subject:
    """A program or a litmus test on trial; ``digest`` is that of its file."""

    name: str
    program: Program
    digest: str
    behavior: Behavior

    def notices(self, revision: Revision) -> str | None:
        """Return what a revision does that the unchanged text does not, or None if the outcomes are the same.

        If the exploration is too large in that revision, only an outcome that is new counts.
        """
        bound = max(_LEAST, _TIMES * self.behavior.runs)
        try:
            found = allowed_outcomes(self.program, bound=bound, revision=revision)
        except (Exception, SpecAssertionError) as error:
            return f"ends in {type(error).__name__}: {error}".splitlines()[0]
        new = found.outcomes.keys() - self.behavior.outcomes
        missing = self.behavior.outcomes - found.outcomes.keys() if found.complete else frozenset()
        parts = [
            f"{words} {counted(len(some), 'outcome')}" for words, some in (("has", new), ("lacks", missing)) if some
        ]
        return " and ".join(parts) or None


def behavior_of(program: Program) -> Behavior:
    """Return the behavior of a program in the unchanged text.

    Raises:
        RunawayError: if the program schedules itself forever.
    """
    collector = Collector(REVISIONS[CURRENT.name])
    found = allowed_outcomes(program, revision=collector.revision)
    return Behavior(frozenset(found.outcomes), collector.steps, found.runs, found.transitions)
