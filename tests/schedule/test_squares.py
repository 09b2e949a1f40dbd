"""Transitions that follow from those beside them, without a run, lose no outcome and add none.

The programs are races of three actions in two documents, on one event loop or on two. In exploring them, some squares of
the state graph are completed and some are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.program.explore import allowed_outcomes
from modelcontext.program.reading import from_data
from modelcontext.schedule import graph
from modelcontext.schedule.squares import completed_square

if TYPE_CHECKING:
    from modelcontext.program.language import Program

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
