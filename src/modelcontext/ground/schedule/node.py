"""The nodes and transitions of a state graph."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from modelcontext.ground.schedule.results import NO_RESULTS

if TYPE_CHECKING:
    from modelcontext.ground.schedule.independence import Touched

#: The answers to the free choices inside an action.
Answers = tuple[int, ...]

#: The process of the source that a process of the target comes from, and 0 if it is the same one, or else its number among
#: those that the action made.
Origin = tuple[int, int]


@dataclass(slots=True)
class Transition:
    """An action of process number ``acting``; ``origins`` has the origin of each process of the target.

    ``gives_way`` tells whether it ends where its task gives way, ``places`` how many such places it has come to.
    """

    acting: int
    answers: Answers
    observed: Sequence[tuple[str, Hashable]]
    target: Node
    origins: Sequence[Origin]
    touched: Touched
    gives_way: bool
    places: int = 0


@dataclass(slots=True)
class Node:
    """A state.

    ``future`` has, for each process, all that it and its descendants will touch; None while unknown. ``results`` is the number
    of the set of results from here on. ``parent`` is the state from which a run first came here.
    """

    transitions: list[Transition] = field(default_factory=list)
    future: list[Touched] | None = None
    results: int = NO_RESULTS
    parent: Node | None = None
