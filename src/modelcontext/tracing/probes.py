"""Probes: letting the algorithms of a revision say which step they are at, and which side of a condition they take.

They are in a copy of the revision, in which calls stand before the steps and around the conditions. Nothing else differs,
line numbers included, and the revision itself stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Final

from modelcontext.tracing.instrumentation import SIDE, STEP, Condition, Instrumentation, StepOf
from modelcontext.weaving.weaving import Weaving, Woven

if TYPE_CHECKING:
    from modelcontext.revisions.revision import Revision

#: The module that texts with probes import. The page has a function ``modelcontextReached``, which is told everything once:
#: ``s17`` is a step, ``y3`` and ``n3`` are sides of a condition, by their numbers in the inventory.
MARKS: Final = f'''"""Tells the page what is reached."""

import js

_told = set()


def _tell(mark):
    if mark not in _told:
        _told.add(mark)
        js.modelcontextReached(mark)


def {STEP}(index):
    _tell(f"s{{index}}")


def {SIDE}(index, value):
    _tell(f"{{'y' if value else 'n'}}{{index}}")
    return value
'''


@dataclass(frozen=True, slots=True)
class Inventory:
    """The steps and conditions of a revision's code, in the order of its files; ``texts`` has the words of each step."""

    steps: tuple[StepOf, ...]
    conditions: tuple[Condition, ...]
    texts: dict[StepOf, str] = field(compare=False)

    @property
    def sides(self) -> tuple[str, ...]:
        """Both sides of every condition."""
        return tuple(condition.side(side) for condition in self.conditions for side in (True, False))

    def decode(self, mark: str) -> str:
        """Return the name of what :data:`MARKS` tells of: a step, or a side of a condition."""
        index = int(mark[1:])
        return str(self.steps[index]) if mark[0] == "s" else self.conditions[index].side(mark[0] == "y")


@dataclass(frozen=True, slots=True)
class _Instrumented:
    inventory: Inventory
    texts: dict[str, str]
    woven: Woven


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
        taken: called when a condition has been evaluated, with the side that is taken.
    """
    instrumented = _instrumented(revision.package)
    steps, conditions = instrumented.inventory.steps, instrumented.inventory.conditions

    def side(index: int, value: object) -> object:
        taken(conditions[index], bool(value))
        return value

    return instrumented.woven.link(revision, {STEP: lambda index: reached(steps[index]), SIDE: side})


def texts_with_probes(package: str) -> dict[str, str]:
    """Return the text of every module with algorithms of the revision in a Python package, with probes, by its name.

    They import what they call from a module ``modelcontext.marks``, whose text is :data:`MARKS`.
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
    return _Instrumented(Inventory(tuple(steps), tuple(conditions), steps), texts, weaving.compile())
