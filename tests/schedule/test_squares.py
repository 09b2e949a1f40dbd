"""Transitions that follow from those beside them, without a run, lose no outcome and add none.

Where the actions on two opposite sides of a square are not the same, no transition follows. The programs are races of
three actions in two documents, on one event loop or on two. In exploring them, some squares of the state graph are
completed and some are not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.ground.schedule import graph
from modelcontext.ground.schedule.independence import NOTHING, Independence, Touched
from modelcontext.ground.schedule.node import Node, Transition
from modelcontext.ground.schedule.squares import completed_square
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.reading import from_data

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

Step = dict[str, Any]

LISTEN: Step = {"do": "listen", "type": "toolchange"}
CALL: Step = {"do": "executeTool", "tool": {"$tool": "t", "in": "top"}, "wait": False}
ABORTED: Step = CALL | {"options": {"signal": {"$signal": "c"}}}
ABORT: Step = {"do": "abort", "controller": "c"}


def register(name: str, *, wait: bool = False) -> Step:
    tool = {"name": name, "description": "d"}
    return {
        "do": "registerTool",
        "tool": tool,
        "options": {"exposedTo": ["{A}", "{B}"]},
        "wait": wait,
    }


BEFORE = [register("t", wait=True), {"do": "tell", "to": "frame", "message": "go"}]
AFTER: list[Step] = [{"do": "waitFor", "message": "go"}]

RACES: dict[str, tuple[list[Step], list[Step]]] = {
    "registrations that both hear of": ([LISTEN, register("a"), register("c")], [LISTEN, register("b")]),
    "an aborted call and a registration": ([*BEFORE, register("u")], [*AFTER, ABORTED, ABORT]),
}


def race(name: str, origin: str) -> Program:
    top, frame = RACES[name]
    data = {
        "title": name,
        "documents": {"top": {}, "frame": {"origin": origin, "parent": "top", "allow": "tools"}},
        "script": {"top": top, "frame": frame},
    }
    return from_data(data)


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("origin", ["A", "B"])
@pytest.mark.parametrize("name", RACES)
def test_completed_squares_change_no_set_of_outcomes(name: str, origin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    completed = []

    def counted(*arguments: Any) -> Any:
        found = completed_square(*arguments)
        completed.append(found is not None)
        return found

    monkeypatch.setattr(graph, "completed_square", counted)
    with_squares = allowed_outcomes(race(name, origin))
    assert set(completed) == {True, False}
    monkeypatch.setattr(graph, "completed_square", lambda *arguments: None)
    without = allowed_outcomes(race(name, origin))
    assert with_squares.complete
    assert without.complete
    assert set(with_squares.outcomes) == set(without.outcomes)


def square(**changes: Any) -> tuple[list[Transition] | None, Transition, Node]:
    """Complete the square of two processes that read one key each; ``changes`` are those of the opposite of the step.

    Returns what is completed, the transition beside the step, and the fourth state.
    """
    origins = [(0, 0), (1, 0)]
    fourth = Node(future=[NOTHING, NOTHING])
    step = Transition(0, (), [("log", "entry")], Node(), origins, Touched(reads=1), False)
    opposite = replace(step, target=fourth, **changes)
    side = Transition(1, (), [], Node([opposite], [NOTHING, NOTHING]), origins, Touched(reads=2), False)
    return completed_square(Node([side]), step, 1, Independence()), side, fourth


def test_square_is_completed_where_the_opposite_is_the_same_action() -> None:
    completed, side, fourth = square()
    assert completed == [replace(side, target=fourth)]


@pytest.mark.parametrize(
    "change",
    [
        {"acting": 1},
        {"answers": (1,)},
        {"observed": [("log", "another entry")]},
        {"observed": []},
        {"touched": Touched(reads=3)},
        {"touched": Touched(reads=1, writes=4)},
        {"gives_way": True},
        {"origins": [(0, 0), (0, 1)]},
    ],
    ids=str,
)
def test_square_is_left_open_where_the_opposite_is_another_action(change: dict[str, Any]) -> None:
    assert square(**change)[0] is None
