"""Five scenarios of docs/python.md that the language of programs can say have the same outcomes as programs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext import Outcome, allowed_outcomes, explore
from modelcontext.programs.program.reading import from_data
from packages.explore.tests.scenarios import function_of

if TYPE_CHECKING:
    from modelcontext_explore import ScenarioOutcome

pytestmark = pytest.mark.usefixtures("takes_long")


def program_outcomes(data: Mapping[str, Any], project: Callable[[Outcome], Hashable]) -> set[Hashable]:
    found = allowed_outcomes(from_data({"title": "T", **data}))
    assert found.complete
    return {project(outcome) for outcome in found.outcomes.values()}


def scenario_outcomes(
    name: str, project: Callable[[ScenarioOutcome], Hashable], *changes: tuple[str, str]
) -> set[Hashable]:
    found = explore(function_of(name, *changes))
    assert found.complete
    return {project(outcome) for outcome in found.outcomes}


def end_of(label: str, outcome: Outcome) -> str:
    """Return how a promise of a program ended: its value, or the name of its error."""
    for log in outcome.logs.values():
        for entry in log:
            if entry.get("promise") == label:
                return str(entry["fulfilled"]) if "fulfilled" in entry else str(entry["rejected"]["$error"])
    return "never"


def last_of(outcome: ScenarioOutcome) -> str:
    """Return how the call of a scenario ended."""
    if outcome.log:
        return outcome.log[-1]
    assert not outcome.exceptions or "UnknownError" in str(outcome.exceptions[0])
    return "UnknownError" if outcome.exceptions else "never"


def test_two_origins_racing() -> None:
    buy = {"name": "buy", "description": "Buys tea"}
    old = {"exposedTo": ["{B}"], "signal": {"$signal": "c"}}
    new = {"do": "registerTool", "as": "new", "tool": buy, "callback": {"resolves": "for me alone"}, "wait": False}
    data = {
        "documents": {"frame": {"parent": "top", "origin": "B", "allow": "tools"}},
        "script": {
            "top": [
                {"do": "registerTool", "tool": buy, "callback": {"resolves": "for helpers"}, "options": old},
                {"do": "tell", "to": "frame", "message": "registered"},
                {"do": "waitFor", "message": "calling"},
                {"do": "abort", "controller": "c"},
                new,
            ],
            "frame": [
                {"do": "waitFor", "message": "registered"},
                {"do": "getTools", "as": "list", "options": {"fromOrigins": ["{A}"]}},
                {"do": "tell", "to": "top", "message": "calling"},
                {"do": "executeTool", "as": "call", "tool": {"$listed": "buy", "from": "list"}, "input": {}},
            ],
        },
    }
    found = scenario_outcomes("two_origins", last_of)
    assert found == program_outcomes(data, lambda outcome: end_of("call", outcome))
    assert found == {'"for helpers"', '"for me alone"', "UnknownError"}


def test_abort_while_running() -> None:
    tool = {"name": "book", "description": "Books a room"}
    options = {"signal": {"$signal": "c"}}
    call = {"do": "executeTool", "as": "call", "tool": {"$listed": "book", "from": "list"}, "input": {}}
    data = {
        "script": {
            "top": [
                {"do": "registerTool", "tool": tool, "callback": {"resolves": "booked"}},
                {"do": "getTools", "as": "list"},
                {"do": "timer", "as": "gives up", "steps": [{"do": "abort", "controller": "c"}]},
                {**call, "options": options},
            ]
        },
    }
    found = scenario_outcomes(
        "abort_while_running", last_of, ("        await page.sleep(50)  # the server takes a time\n", "")
    )
    assert found == program_outcomes(data, lambda outcome: end_of("call", outcome))
    assert found == {'"booked"', "AbortError"}


def test_approval_dialog() -> None:
    call = {"do": "executeTool", "as": "call", "tool": {"$listed": "pay", "from": "list"}, "input": {}}

    def program(answer: bool) -> Mapping[str, Any]:
        person = {"do": "timer", "as": "person", "steps": [{"do": "resolve", "pending": "p", "value": answer}]}
        tool = {"name": "pay", "description": "Pays"}
        register = {"do": "registerTool", "tool": tool, "callback": {"pending": "p", "steps": [person]}}
        return {"script": {"top": [register, {"do": "getTools", "as": "list"}, call]}}

    def paid(outcome: ScenarioOutcome) -> str:
        return "never" if outcome.pending else str(outcome.value == (["Ann"], ["Ann"])).lower()

    found = scenario_outcomes("approval_dialog", paid, ('("Ann", "Bob")', '("Ann",)'))
    assert found == {
        end for answer in (True, False) for end in program_outcomes(program(answer), lambda one: end_of("call", one))
    }


def test_form() -> None:
    html = (
        '<form id="order" toolname="order" tooldescription="Orders tea">'
        '<input id="kind" name="kind"><button>Order</button></form>'
    )
    answer = [{"do": "preventDefault"}, {"do": "respondWith", "value": "thank you"}]
    call = {"do": "executeTool", "as": "call", "tool": {"$listed": "order", "from": "list"}, "input": {"kind": "green"}}
    press = {"do": "timer", "as": "person", "steps": [{"do": "requestSubmit", "element": "order"}]}
    data = {
        "documents": {"top": {"html": html}},
        "script": {
            "top": [
                {"do": "listen", "element": "order", "type": "submit", "steps": answer},
                press,
                {"do": "getTools", "as": "list"},
                call,
            ]
        },
    }

    def submitted_in_the_program(outcome: Outcome) -> Hashable:
        entries = [entry for log in outcome.logs.values() for entry in log if entry.get("event") == "submit"]
        return tuple(entry["agentInvoked"] for entry in entries), end_of("call", outcome)

    def submitted(outcome: ScenarioOutcome) -> Hashable:
        orders = [line for line in outcome.log if " ordered " in line]
        thanks = [line for line in outcome.log if " ordered " not in line]
        return tuple(line.startswith("agent") for line in orders), thanks[0] if thanks else "never"

    found = scenario_outcomes("form", submitted)
    assert found == program_outcomes(data, submitted_in_the_program)
    assert len(found) == 2


def test_shim_of_a_polyfill() -> None:
    def register(label: str, name: str, controller: str) -> Mapping[str, Any]:
        tool = {"name": name, "description": "d"}
        return {"do": "registerTool", "as": label, "tool": tool, "options": {"signal": {"$signal": controller}}}

    first = [register("one", "search", "a"), register("two", "buy", "b")]
    aborts = [{"do": "abort", "controller": "b"}, {"do": "abort", "controller": "a"}]
    data = {
        "script": {
            "top": [
                {"do": "timer", "as": "first", "steps": first},
                {"do": "timer", "as": "second", "steps": [*aborts, register("three", "search", "c")]},
                {"do": "waitFor", "result": "three"},
                {"do": "getTools", "as": "list"},
            ]
        },
    }

    def listed(outcome: Outcome) -> Hashable:
        [entry] = [entry for log in outcome.logs.values() for entry in log if entry.get("promise") == "list"]
        return tuple(tool["name"] for tool in entry["fulfilled"])

    found = scenario_outcomes("shim_of_a_polyfill", lambda outcome: tuple(outcome.value))
    assert found == program_outcomes(data, listed) == {("search",)}
