"""Probes: calls in a revision's algorithms that report each step and each side of a condition.

The probes are in a copy of the revision, before its steps and around its conditions. The copy does not differ otherwise,
not even in its line numbers, and the revision itself does not change.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from modelcontext.programs.tracing.instrumentation import SIDE, STEP, Condition, Instrumentation, StepOf
from modelcontext.spec.weaving.weaving import Weaving

if TYPE_CHECKING:
    from modelcontext.spec.revisions.revision import Revision

#: The module that texts with probes import. It calls the page's function ``modelcontextReached`` with each mark once: ``s17``
#: is a step, ``y3`` and ``n3`` are sides of a condition, by their numbers in the inventory. One call has all new marks of a
#: task, with spaces between them, because a call leaves the page and costs more than the steps. After ``modelcontextForget()``
#: each mark is new again.
MARKS: Final = f'''"""Tells the page which steps and sides are reached."""

import js
from pyodide.ffi import create_once_callable, create_proxy

_told = set()
_untold = []


def _tell(mark):
    if mark not in _told:
        if not _told:
            # Not at the import, which a snapshot of the memory must not remember.
            js.modelcontextForget = create_proxy(_told.clear)
        _told.add(mark)
        if not _untold:
            js.queueMicrotask(create_once_callable(_report))
        _untold.append(mark)


def _report():
    js.modelcontextReached(" ".join(_untold))
    _untold.clear()


def {STEP}(index):
    _tell(f"s{{index}}")


def {SIDE}(index, value):
    _tell(f"{{'y' if value else 'n'}}{{index}}")
    return value
'''


@dataclass(frozen=True, slots=True)
class Inventory:
    """The steps and conditions of a revision's code, in the order of its files; ``texts`` has the text of each step."""

    steps: tuple[StepOf, ...]
    conditions: tuple[Condition, ...]
    texts: dict[StepOf, str] = field(compare=False)

    @property
    def sides(self) -> tuple[str, ...]:
        """Both sides of every condition."""
        return tuple(side for condition in self.conditions for side in condition.sides)

    def decode(self, mark: str) -> str:
        """Return the name of the step, or of the side of a condition, for a mark of :data:`MARKS`."""
        index = int(mark[1:])
        return str(self.steps[index]) if mark[0] == "s" else self.conditions[index].side(mark[0] == "y")


@dataclass(frozen=True, slots=True)
class _Instrumented:
    inventory: Inventory
    texts: dict[str, str]
    weaving: Weaving


def inventory(package: str) -> Inventory:
    """Return the steps and conditions of the revision in a Python package."""
    return _instrumented(package).inventory


def with_probes(
    revision: Revision,
    reached: Callable[[StepOf], None],
    taken: Callable[[Condition, bool], None] = lambda condition, side: None,
) -> Revision:
    """Return a copy of a revision with probes in it.

    Args:
        revision: the revision.
        reached: called before a step runs.
        taken: called with each evaluated condition and its taken side.
    """
    instrumented = _instrumented(revision.package)
    steps, conditions = instrumented.inventory.steps, instrumented.inventory.conditions

    def side(index: int, value: object) -> object:
        taken(conditions[index], bool(value))
        return value

    return instrumented.weaving.link(revision, {STEP: lambda index: reached(steps[index]), SIDE: side})


class Collector:
    """Collects the steps and sides that runs of its ``revision``, a copy of the given one, reach, in no order."""

    def __init__(self, revision: Revision) -> None:
        self._steps: set[StepOf] = set()
        self._sides: set[tuple[Condition, bool]] = set()
        self.revision = with_probes(revision, self._steps.add, lambda *side: self._sides.add(side))

    @property
    def steps(self) -> frozenset[str]:
        """The reached steps as ``algorithm number``."""
        return frozenset(map(str, self._steps))

    @property
    def keys(self) -> frozenset[str]:
        """The reached steps as ``algorithm number``, and the taken sides of conditions as ``algorithm number place yes``."""
        return self.steps | {condition.side(side) for condition, side in self._sides}


def texts_with_probes(package: str) -> dict[str, str]:
    """Return the source, with probes, of each module with algorithms in a revision's package, by the module's name.

    The modules import ``modelcontext.marks``, whose source is :data:`MARKS`.
    """
    return _instrumented(package).texts


@cache
def _instrumented(package: str) -> _Instrumented:
    steps: dict[StepOf, str] = {}
    conditions: list[Condition] = []
    weaving = Weaving(package)
    for copy in weaving.algorithms.values():
        Instrumentation(copy, steps, conditions)
    texts = weaving.texts(ast.ImportFrom("modelcontext.marks", [ast.alias(STEP), ast.alias(SIDE)], 0))
    return _Instrumented(Inventory(tuple(steps), tuple(conditions), steps), texts, weaving)
