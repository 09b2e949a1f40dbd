"""Races about a form: leaving out equivalent schedules loses no outcome."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.ground.schedule.graph import StateGraph
from modelcontext.ground.schedule.search import every_schedule
from modelcontext.hosts.world import World
from modelcontext.platform.dom.abort import AbortController
from modelcontext.platform.dom.events import Event
from modelcontext.platform.dom.mutations import remove
from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction, JSObject, JSValue
from modelcontext.platform.html.elements import HTMLElement, click
from modelcontext.platform.html.event_loop import TaskSource
from modelcontext.platform.html.forms.form_owners import HTMLFormElement
from modelcontext.platform.html.forms.resetting import reset
from modelcontext.platform.html.loading import Response, create_a_new_top_level_traversable
from modelcontext.platform.html.parsing import parse_html
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.spec.revisions.current.form_pseudo_classes import has_an_active_execution
from modelcontext.spec.revisions.current.model import associated_model_context

if TYPE_CHECKING:
    from modelcontext.ground.schedule.fingerprint import State

HTML = "<form id=f toolname=t tooldescription=d><input id=a name=a><button id=b>Go</button></form>"
SOURCES = [TaskSource(f"task source {number}") for number in range(3)]


class Race:
    """A run in which three scripts of one page run in any order; what they could see is its result."""

    def __init__(self, chooser: Any, actions: Sequence[str]) -> None:
        self._world = World(chooser=chooser)
        self._actions = actions
        self._elements: dict[str, HTMLElement] = {}
        self._seen: list[str] = []
        self.observations: list[tuple[str, Any]] = []

    def run(self) -> None:
        self._world.enter()
        document = create_a_new_top_level_traversable(self._world.user_agent, Response("https://a.test/"))
        self._document = document
        self._controller = AbortController(document.realm)
        self._world.user_agent.run_script_now(document, lambda: parse_html(document, HTML))
        self._world.run_until_idle()
        self._elements = {
            node.attributes["id"]: node
            for node in document.descendants
            if isinstance(node, HTMLElement) and node.has_attribute("id")
        }
        for type_ in ("input", "submit", "reset"):
            self.form.add_event_listener(type_, JSFunction(document.realm, self._note))
        for type_ in ("toolchange", "toolactivated", "toolcancel"):
            associated_model_context(document).add_event_listener(type_, JSFunction(document.realm, self._note))
        for source, action in zip(SOURCES, self._actions, strict=False):
            document.event_loop.queue_a_task(source, document, ACTIONS[action].__get__(self))
        self._world.run_until_idle()
        self._seen.append(f"active {has_an_active_execution(self.form)}")

    @property
    def form(self) -> HTMLFormElement:
        form = self._elements["f"]
        assert isinstance(form, HTMLFormElement)
        return form

    def _note(self, this: JSValue, arguments: list[JSValue]) -> JSValue:
        (event,) = arguments
        assert isinstance(event, Event)
        self._seen.append(f"{event.type} {event.attributes.get('agentInvoked', '')}")
        return UNDEFINED

    def call(self) -> None:
        realm = self._document.realm
        members: dict[str, Any] = {"name": "t", "description": "", "origin": "https://a.test"}
        members["window"] = self._document.window.proxy
        options: dict[str, Any] = {"signal": self._controller.signal}
        arguments = [JSObject(realm, members), JSObject(realm, {"a": "x"}), JSObject(realm, options)]
        context = associated_model_context(self._document)
        promise = self._world.boundary.call(context, "executeTool", arguments)
        assert isinstance(promise, Promise)
        promise.react(self._end, self._end, realm)

    def _end(self, value: JSValue) -> None:
        self._seen.append(f"end {value.name if isinstance(value, DOMException) else value}")

    def abort(self) -> None:
        self._controller.signal.signal_abort()

    def click(self) -> None:
        click(self._elements["b"])

    def reset(self) -> None:
        reset(self.form)

    def remove(self) -> None:
        if self.form.parent is not None:
            remove(self.form)

    def state(self) -> State:
        return self._world.user_agent.state(self._seen, self._controller, self._elements)

    def running(self) -> Sequence[object]:
        return self._world.user_agent.running

    def left(self) -> Hashable:
        return tuple(self._seen)

    result = left


ACTIONS: dict[str, Callable[[Race], None]] = {
    "call": Race.call,
    "abort": Race.abort,
    "click": Race.click,
    "reset": Race.reset,
    "remove": Race.remove,
}


# A call and a removal together have too many schedules to enumerate.
@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize(
    "actions",
    [
        ("call", "click", "reset"),
        ("call", "abort", "click"),
        ("call", "abort", "reset"),
        ("abort", "click", "reset"),
        ("click", "reset", "remove"),
        ("abort", "reset", "remove"),
    ],
    ids="-".join,
)
def test_three_racing_actions_have_the_same_outcomes_by_states_and_by_every_schedule(actions: Sequence[str]) -> None:
    graph = StateGraph(lambda graph: Race(graph, actions), lambda item: item, 2_000)
    graph.explore()
    found: set[Hashable] = set()
    effort = every_schedule(lambda choices: Race(choices, actions), lambda seen, schedule: found.add(seen), 10_000)
    assert graph.is_complete
    assert effort.complete
    assert {left for _, _, left in graph.results()} == found
    assert len(found) > 1
