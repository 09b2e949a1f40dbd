"""Squares of a state graph: where two actions commute, the last of the four transitions follows from the other three.

From a state, one process leads to a second state and another process to a third one. From the second state the other process
has led to a fourth one. If the two actions do not clash, the first process leads from the third state to the fourth.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from modelcontext.ground.schedule.node import Node, Origin, Transition

if TYPE_CHECKING:
    from modelcontext.ground.schedule.independence import Independence


def completed_square(
    corner: Node, step: Transition, process: int, independence: Independence
) -> list[Transition] | None:
    """Return all transitions of a process after a step, as far as those beside the step tell them; None if they do not.

    Args:
        corner: the state before the step, where the process has been explored.
        step: the transition of another process.
        process: the number of the process in the target of the step.
        independence: tells which actions clash.
    """
    before, made = step.origins[process]
    if made or before == step.acting:
        return None
    places = {origin: place for place, origin in enumerate(step.origins)}
    completed = []
    for side in corner.transitions:
        if side.acting == before:
            fourth = _fourth(side, step, process, places, independence)
            if fourth is None:
                return None
            completed.append(fourth)
    return completed or None


def _fourth(
    side: Transition, step: Transition, process: int, places: dict[Origin, int], independence: Independence
) -> Transition | None:
    if not independence.commute(side.touched, step.touched):
        return None
    opposite = _same_action(side, step)
    if opposite is None:
        return None
    origins = list(_origins(side.origins, opposite, process, places, step.acting))
    if len(origins) != len(opposite.origins):
        return None
    made_as = side.touched, side.gives_way, side.places
    return Transition(process, side.answers, side.observed, opposite.target, origins, *made_as)


def _same_action(side: Transition, step: Transition) -> Transition | None:
    """Return the transition after ``side`` that is the action of ``step``."""
    if side.target.future is None:
        return None
    for other in side.target.transitions:
        if (
            other.answers == step.answers
            and side.origins[other.acting] == (step.acting, 0)
            and other.touched == step.touched
            and other.gives_way == step.gives_way
            and other.observed == step.observed
        ):
            return other
    return None


def _origins(
    side: Sequence[Origin], opposite: Transition, process: int, places: dict[Origin, int], acting: int
) -> Iterator[Origin]:
    """Yield the origin of each process of the fourth state, seen from the third; stop where one has none there."""
    for before, made in opposite.origins:
        if made:
            place = places.get((acting, made))
        else:
            first, made_by_side = side[before]
            if made_by_side:
                yield process, made_by_side
                continue
            place = places.get((first, 0))
        if place is None:
            return
        yield place, 0
