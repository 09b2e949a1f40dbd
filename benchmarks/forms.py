"""Forms that offer tools: the time of their updates and schemas in the model and in Chromium, and of a race.

    python -m benchmarks.forms

Prints two tables. *Synthesis* makes the schema of a form that is there. *Update* changes the description of a form's tool, and
goes on until `toolchange` was fired. *Listing* is Chromium's `getTools()`, which makes the same schema from what it has, and
its update is the time until `toolchange`. All are times per control, and ratios to the form of ten controls; the last
columns are the model against Chromium, with the same form in one run. The second table is about all allowed outcomes of three
actions at once: a call of a form, a click on its button, and a reset; by states, and by every schedule one by one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Page, sync_playwright
from rich.console import Console
from rich.table import Table

from benchmarks.measuring import in_turn
from modelcontext.ground.schedule.graph import StateGraph
from modelcontext.ground.schedule.search import every_schedule
from modelcontext.hosts.world import World
from modelcontext.platform.dom.elements import set_an_attribute_value
from modelcontext.platform.dom.events import Event
from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction, JSObject, JSValue
from modelcontext.platform.html.elements import HTMLElement, click
from modelcontext.platform.html.event_loop import (
    DOM_MANIPULATION_TASK_SOURCE,
    POSTED_MESSAGE_TASK_SOURCE,
    TIMER_TASK_SOURCE,
)
from modelcontext.platform.html.forms.form_owners import HTMLFormElement
from modelcontext.platform.html.forms.resetting import reset
from modelcontext.platform.html.loading import Response, create_a_new_top_level_traversable
from modelcontext.platform.html.parsing import parse_html
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.platform.webidl.platform_object import PlatformObject
from modelcontext.programs.program.render import HttpResponse
from modelcontext.running.products.registry import make_target
from modelcontext.running.serving.http import Server
from modelcontext.spec.revisions.current.schema_synthesis import synthesize_a_declarative_json_schema_object

if TYPE_CHECKING:
    from modelcontext.ground.schedule.fingerprint import State

SIZES = (10, 100, 1_000)
# Controls of all rounds of one measurement.
CONTROLS = 4_000
MOST_RUNS = 20_000

UPDATE = """async (times) => {
    const form = document.querySelector("form");
    const { modelContext } = document;
    const begun = performance.now();
    for (let index = 0; index < times; index++) {
        const changed = new Promise((resolve) => modelContext.addEventListener("toolchange", resolve, { once: true }));
        form.setAttribute("tooldescription", `d${begun}-${index}`);
        await changed;
        await new Promise((resolve) => setTimeout(resolve));
    }
}"""
LIST = """async (times) => {
    for (let index = 0; index < times; index++) await document.modelContext.getTools();
}"""


def source(controls: int) -> str:
    """Return a form with so many controls, of five kinds."""
    kinds = (
        "<label>L <input name=n{n} pattern='[a-z]+' required></label>",
        "<input name=n{n} type=number min=1 max=9>",
        "<input name=n{n} type=date toolparamdescription=D>",
        "<input name=n{n} type=checkbox>",
        "<select name=n{n}><option>x<option>y</select>",
    )
    parts = (kinds[number % len(kinds)].format(n=number) for number in range(controls))
    return f"<!DOCTYPE html><title>form</title><form toolname=t tooldescription=d>{''.join(parts)}<button>Go</button></form>"


class ModelForm:
    """A form of the model that is a tool."""

    def __init__(self, controls: int) -> None:
        self.controls = controls
        self._world = World()
        self._world.enter()
        self._document = create_a_new_top_level_traversable(self._world.user_agent, Response("https://a.test/"))
        self._run(lambda: parse_html(self._document, source(controls)))
        self._form = next(node for node in self._document.descendants if isinstance(node, HTMLFormElement))
        self._updates = 0

    def synthesize(self) -> int:
        """Make its schema, and return the number of controls."""
        for _ in range(CONTROLS // self.controls):
            synthesize_a_declarative_json_schema_object(self._form)
        return CONTROLS

    def update(self) -> int:
        """Change its description, let it become another tool, and return the number of controls."""
        for _ in range(CONTROLS // self.controls):
            self._updates += 1
            self._run(lambda: set_an_attribute_value(self._form, "tooldescription", f"d{self._updates}"))
        return CONTROLS

    def _run(self, script: Callable[[], object]) -> None:
        self._world.enter()
        self._world.user_agent.run_script_now(self._document, script)
        self._world.run_until_idle()


def in_a_page(page: Page, script: str, controls: int) -> Callable[[], int]:
    """Return a function that runs a script in a page of Chromium with a form of so many controls."""
    times = max(1, CONTROLS // controls)

    def run() -> int:
        page.evaluate(script, times)
        return times * controls

    return run


def measure_sizes() -> Table:
    """Measure forms of all sizes, in the model and in Chromium."""
    table = Table(
        *("controls", "synthesis, model", "ratio", "update, model", "ratio", "listing, Chromium", "ratio"),
        *("update, Chromium", "ratio", "synthesis / listing", "update / update"),
        title="Forms of many controls: microseconds a control",
    )
    target = make_target("chromium")
    with Server() as server, sync_playwright() as playwright:
        features = ["--enable-features=WebMCP"]
        browser = playwright.chromium.launch(executable_path=target.find_binary(), args=features)
        functions: list[Callable[[], int]] = []
        for size in SIZES:
            server.serve(f"/{size}", HttpResponse(source(size), {}))
            page = browser.new_page()
            page.goto(f"{server.origins['A']}/{size}")
            page.evaluate("new Promise((resolve) => setTimeout(resolve))")
            form = ModelForm(size)
            functions += [form.synthesize, form.update, in_a_page(page, LIST, size), in_a_page(page, UPDATE, size)]
        medians = [measured.median * 1e6 for measured in in_turn(functions, rounds=3)]
        browser.close()
    rows = [medians[4 * number : 4 * number + 4] for number in range(len(SIZES))]
    for size, row in zip(SIZES, rows, strict=True):
        cells = [
            cell for time, first in zip(row, rows[0], strict=True) for cell in (f"{time:.1f}", f"{time / first:.2f}")
        ]
        table.add_row(f"{size:,}", *cells, f"{row[0] / row[2]:.1f}", f"{row[1] / row[3]:.1f}")
    return table


class Race:
    """A call of a form, a click on its button, and a reset, each in a task of its own."""

    def __init__(self, chooser: Any) -> None:
        self._world = World(chooser=chooser)
        self._seen: list[str] = []
        self.observations: list[tuple[str, Any]] = []

    def run(self) -> None:
        """Set everything up, and run until nothing can happen any more."""
        self._world.enter()
        document = create_a_new_top_level_traversable(self._world.user_agent, Response("https://a.test/"))
        self._document = document
        self._world.user_agent.run_script_now(document, lambda: parse_html(document, source(5)))
        self._world.run_until_idle()
        elements = [node for node in document.descendants if isinstance(node, HTMLElement)]
        form = next(element for element in elements if isinstance(element, HTMLFormElement))
        set_an_attribute_value(form, "novalidate", "")
        button = next(element for element in elements if element.local_name == "button")
        for type_ in ("input", "submit", "reset"):
            form.add_event_listener(type_, JSFunction(document.realm, self._note))
        for task_source, action in (
            (TIMER_TASK_SOURCE, self._call),
            (POSTED_MESSAGE_TASK_SOURCE, lambda: click(button)),
            (DOM_MANIPULATION_TASK_SOURCE, lambda: reset(form)),
        ):
            script = action
            document.event_loop.queue_a_task(task_source, document, script)
        self._world.run_until_idle()

    def _note(self, this: JSValue, arguments: list[JSValue]) -> JSValue:
        (event,) = arguments
        assert isinstance(event, Event)
        self._seen.append(f"{event.type} {event.attributes.get('agentInvoked', '')}")
        return UNDEFINED

    def _call(self) -> None:
        document, boundary = self._document, self._world.boundary
        members: dict[str, Any] = {"name": "t", "description": "", "origin": "https://a.test"}
        members["window"] = document.window.proxy
        context = boundary.get(document, "modelContext")
        assert isinstance(context, PlatformObject)
        values = JSObject(document.realm, {"n0": "x"})
        promise = boundary.call(context, "executeTool", [JSObject(document.realm, members), values])
        assert isinstance(promise, Promise)
        promise.react(self._end, self._end, document.realm)

    def _end(self, value: JSValue) -> None:
        """Note how the call ends."""
        self._seen.append(f"end {value.name if isinstance(value, DOMException) else value}")

    def state(self) -> State:
        """Return the state between two actions."""
        return self._world.user_agent.state(self._seen)

    def running(self) -> Any:
        """Return what is under way."""
        return self._world.user_agent.running

    def left(self) -> Hashable:
        """Return what was seen."""
        return tuple(self._seen)

    result = left


def measure_race() -> Table:
    """Find all outcomes of the race by both searches, and check that they are the same."""
    table = Table(
        "search", "outcomes", "runs", "processor seconds", title="A call, a click and a reset at once: all outcomes"
    )
    begun = time.process_time()
    graph = StateGraph(Race, lambda item: item, MOST_RUNS)
    graph.explore()
    by_states = {left for _, _, left in graph.results()}
    seconds = time.process_time() - begun
    rest = "" if graph.is_complete else ", incomplete"
    table.add_row("by states" + rest, str(len(by_states)), str(graph.runs), f"{seconds:.2f}")
    found: set[Hashable] = set()
    begun = time.process_time()
    effort = every_schedule(Race, lambda seen, schedule: found.add(seen), MOST_RUNS)
    seconds = time.process_time() - begun
    rest = "" if effort.complete else ", incomplete"
    table.add_row("every schedule" + rest, str(len(found)), str(effort.runs), f"{seconds:.2f}")
    if by_states != found and graph.is_complete and effort.complete:
        raise RuntimeError(f"the searches differ: {by_states ^ found}")
    return table


def main() -> None:
    """Measure, and print the tables."""
    console = Console(width=160)
    console.print(measure_sizes())
    console.print(measure_race())


if __name__ == "__main__":
    main()
