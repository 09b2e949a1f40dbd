"""The orders in which a page and its frame see a registration: litmus test number one.

The parent document has a toolchange listener, starts a timer and registers a tool; its child has a toolchange listener.
"timer" is the parent's timer, "parent" and "child" are their toolchange events, "promise" is the fulfillment of registerTool's
promise.

By the text, registerTool's steps in parallel first queue the event tasks, the parent's before the child's (an inclusive
descendant navigable comes before those below it), and then the task that resolves the promise, all on the webmcp task source.
Tasks of one source on one event loop run in the order in which they were queued. The timer is a task of another source, so it
may come before, between and after them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.ground.schedule import footprint
from modelcontext.ground.schedule.graph import StateGraph
from modelcontext.ground.schedule.search import every_schedule
from modelcontext.programs.program.interpreter import Run
from modelcontext.programs.program.reading import from_data

if TYPE_CHECKING:
    from modelcontext.ground.schedule.choose import Chooser
    from modelcontext.programs.program.language import Program

Order = tuple[str, ...]

GLOBAL_LOG = footprint.Kind("global log")

#: One event loop, so one webmcp queue: parent, child, promise in this order. Only the timer moves.
#: Any other order of those three would need a task to overtake one that was queued before it on the same source.
SAME_ORIGIN: set[Order] = {
    ("timer", "parent", "child", "promise"),
    ("parent", "timer", "child", "promise"),
    ("parent", "child", "timer", "promise"),
    ("parent", "child", "promise", "timer"),
}

#: Two event loops: the parent's queue still holds its event before the promise, but the child's event is in a queue of
#: its own. It may come first (the parent's event loop is slow), last (the child's is), or in between.
CROSS_ORIGIN: set[Order] = SAME_ORIGIN | {
    # The child is faster than the parent:
    ("timer", "child", "parent", "promise"),
    ("child", "timer", "parent", "promise"),
    ("child", "parent", "timer", "promise"),
    ("child", "parent", "promise", "timer"),
    # The child is slower than the parent's promise:
    ("timer", "parent", "promise", "child"),
    ("parent", "timer", "promise", "child"),
    ("parent", "promise", "timer", "child"),
    ("parent", "promise", "child", "timer"),
}


def program(child: Mapping[str, str]) -> Program:
    return from_data(
        {
            "title": "a registration that two documents see",
            "documents": {"child": {"parent": "top", **child}},
            "script": {
                "child": [{"do": "listen", "type": "toolchange"}, {"do": "tell", "to": "top", "message": "listening"}],
                "top": [
                    {"do": "listen", "type": "toolchange"},
                    {"do": "waitFor", "message": "listening"},
                    {"do": "timer"},
                    {
                        "do": "registerTool",
                        "tool": {"name": "t", "description": "d"},
                        "options": {"exposedTo": ["{B}"]},
                        "wait": False,
                    },
                ],
            },
        }
    )


class GlobalOrderRun(Run):
    """A run with one log for all event loops, so that it sees their order, unlike any script.

    Recording into the log is declared as a write to shared state. Otherwise exploration would rightly leave out orders that no
    outcome shows.
    """

    def record(self, id_: str, entry: Mapping[str, Any], source: object) -> None:
        footprint.write(GLOBAL_LOG)
        super().record(id_, entry, source)
        self.observations[-1] = ("everywhere", {"name": _name(id_, entry)})


def _name(id_: str, entry: Mapping[str, Any]) -> str:
    if "event" in entry:
        assert entry["event"] == "toolchange"
        return "parent" if id_ == "top" else id_
    return "timer" if "timer" in entry else "promise"


def orders(program: Program) -> set[Order]:
    graph = StateGraph(lambda graph: GlobalOrderRun(program, graph), lambda entry: entry["name"], 10_000)
    graph.explore()
    assert graph.is_complete
    return {tuple(map(str, streams["everywhere"])) for _, streams, _ in graph.results()}


def some_orders(program: Program) -> set[Order]:
    found: set[Order] = set()
    runs: list[GlobalOrderRun] = []

    def make(chooser: Chooser) -> GlobalOrderRun:
        runs[:] = [GlobalOrderRun(program, chooser)]
        return runs[0]

    every_schedule(
        make, lambda outcome, schedule: found.add(tuple(entry["name"] for _, entry in runs[0].observations)), 1_000
    )
    return found


def test_registration_orders_if_parent_and_child_share_an_event_loop() -> None:
    assert orders(program({"origin": "A"})) == SAME_ORIGIN


def test_registration_orders_if_parent_and_child_have_different_event_loops() -> None:
    assert orders(program({"origin": "B", "allow": "tools"})) == CROSS_ORIGIN


def test_cross_origin_child_without_permission_sees_no_toolchange() -> None:
    assert orders(program({"origin": "B"})) == {tuple(e for e in order if e != "child") for order in SAME_ORIGIN}


@pytest.mark.usefixtures("takes_long")
def test_naive_enumeration_finds_no_other_registration_order() -> None:
    assert some_orders(program({"origin": "A"})) <= SAME_ORIGIN
    assert some_orders(program({"origin": "B", "allow": "tools"})) <= CROSS_ORIGIN
