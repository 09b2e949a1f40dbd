"""The steps and conditions of a revision, with the tests that reach them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from modelcontext.judging.coverage.reach import KINDS, Reach

if TYPE_CHECKING:
    from modelcontext.programs.tracing.instrumentation import Condition, StepOf
    from modelcontext.programs.tracing.probes import Inventory


class Extent(StrEnum):
    """The extent to which a step is covered."""

    #: It is reached, and so is every reachable side of its conditions.
    FULL = "full"
    #: It is reached, but a side of one of its conditions is not.
    PARTIAL = "partial"
    #: No test reaches it.
    NONE = "none"
    #: No program can reach it, for a written reason.
    EXCUSED = "excused"


@dataclass(frozen=True, slots=True)
class Tally:
    """The numbers of reached steps and sides, and of those that can be reached."""

    steps: int
    of_steps: int
    sides: int
    of_sides: int

    def __str__(self) -> str:
        return f"{self.steps}/{self.of_steps} steps, {self.sides}/{self.of_sides} sides"


class Coverage:
    """The steps and sides of a revision that some tests reach.

    ``reasons`` has the reason for each step and side that no program can reach.
    """

    def __init__(self, revision: str, inventory: Inventory, reasons: Mapping[str, str], tests: Iterable[Reach]) -> None:
        self.revision = revision
        self.inventory = inventory
        self.reasons = reasons
        self.tests: Sequence[Reach] = sorted(tests, key=lambda test: (KINDS.index(test.kind), test.name))
        self._by_key: dict[str, list[int]] = {}
        for index, test in enumerate(self.tests):
            for key in test.keys:
                self._by_key.setdefault(key, []).append(index)

    @property
    def kinds(self) -> list[str]:
        """The kinds of the tests."""
        return [kind for kind in KINDS if any(test.kind == kind for test in self.tests)]

    def reaching(self, key: str, kind: str | None = None) -> list[int]:
        """Return the numbers of the tests, of one kind or all, that reach a step or a side."""
        return [index for index in self._by_key.get(key, ()) if kind in (None, self.tests[index].kind)]

    def conditions_of(self, step: StepOf) -> list[Condition]:
        """Return the conditions in the code of a step."""
        return [condition for condition in self.inventory.conditions if condition.step == step]

    def extent(self, step: StepOf, kind: str | None = None) -> Extent:
        """Return the extent to which a step is covered, by one kind of tests or all."""
        if not self.reaching(str(step), kind):
            return Extent.EXCUSED if str(step) in self.reasons else Extent.NONE
        sides = [side for condition in self.conditions_of(step) for side in condition.sides]
        is_full = all(self.reaching(side, kind) or side in self.reasons for side in sides)
        return Extent.FULL if is_full else Extent.PARTIAL

    def tally(self, kind: str | None = None, algorithm: str | None = None) -> Tally:
        """Count the reached steps and sides, by one kind of tests or all, in one algorithm or all."""
        steps = [
            str(step)
            for step in self.inventory.steps
            if algorithm in (None, step.algorithm) and str(step) not in self.reasons
        ]
        sides = [
            side
            for condition in self.inventory.conditions
            if algorithm in (None, condition.step.algorithm)
            for side in condition.sides
            if side not in self.reasons
        ]
        return Tally(self._count(steps, kind), len(steps), self._count(sides, kind), len(sides))

    def _count(self, keys: Iterable[str], kind: str | None) -> int:
        return sum(bool(self.reaching(key, kind)) for key in keys)

    def missed(self) -> list[str]:
        """Return the steps and sides without a test and without a reason, in the order of the code."""
        keys = [*map(str, self.inventory.steps), *self.inventory.sides]
        return [key for key in keys if not self.reaching(key) and key not in self.reasons]

    def reached_against_reason(self) -> list[str]:
        """Return the steps and sides that are reached although they have a reason."""
        return [key for key in self.reasons if self.reaching(key)]

    def to_data(self) -> dict[str, Any]:
        """Return the coverage as plain data for a JSON document; a step's tests are indices in the list of tests."""
        totals = {kind or "all": asdict(self.tally(kind)) for kind in (*self.kinds, None)}
        return {
            "revision": self.revision,
            "totals": {
                kind: {name.replace("_", " "): count for name, count in tally.items()} for kind, tally in totals.items()
            },
            "tests": [{"kind": test.kind, "name": test.name} for test in self.tests],
            "steps": [self._step(step) for step in self.inventory.steps],
        }

    def _step(self, step: StepOf) -> dict[str, Any]:
        found: dict[str, Any] = {
            "algorithm": step.algorithm,
            "step": step.number,
            "standing": self.extent(step),
            "tests": self.reaching(str(step)),
        }
        if str(step) in self.reasons:
            found["reason"] = self.reasons[str(step)]
        conditions = [self._condition(condition) for condition in self.conditions_of(step)]
        return found | ({"conditions": conditions} if conditions else {})

    def _condition(self, condition: Condition) -> dict[str, Any]:
        sides: dict[str, Any] = {}
        for name, side in zip(("yes", "no"), condition.sides, strict=True):
            sides[name] = {"tests": self.reaching(side)}
            if side in self.reasons:
                sides[name]["reason"] = self.reasons[side]
        return {"code": condition.text, **sides}
