"""Listeners and handlers: their order, and changes during the dispatch of an event."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from modelcontext.platform.dom.dispatching import dispatch, fire_an_event
from modelcontext.platform.dom.events import Event, EventTarget, event_attribute
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction, JSObject, JSValue, Throw

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document


class Page:
    """An event target in a page, with the log of its listeners."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.target = EventTarget(document.realm)
        self.log: list[str] = []

    def function(self, entry: str, then: Callable[[], object] = lambda: None) -> JSFunction:
        def behavior(this: JSValue, arguments: list[JSValue]) -> JSValue:
            assert this is self.target
            self.log.append(entry)
            then()
            return UNDEFINED

        return JSFunction(self.document.realm, behavior)

    def microtask(self, entry: str) -> None:
        self.document.agent.enqueue_promise_job(lambda: self.log.append(entry), self.document.realm)

    def fire(self, type_: str = "x") -> list[str]:
        fire_an_event(Event(self.document.realm, type_), self.target)
        log, self.log[:] = list(self.log), []
        return log


@pytest.fixture
def on(page: Document) -> Page:
    return Page(page)


def test_listeners_run_in_order_of_addition_and_by_type(on: Page) -> None:
    for entry, type_ in (("1", "x"), ("2", "y"), ("3", "x")):
        on.target.add_event_listener(type_, on.function(entry))
    assert on.fire() == ["1", "3"]
    assert on.fire("y") == ["2"]
    assert on.fire("z") == []


def test_same_listener_is_added_once_for_each_type(on: Page) -> None:
    function = on.function("1")
    for type_ in ("x", "x", "y"):
        on.target.add_event_listener(type_, function)
    assert on.fire() == ["1"]
    assert on.fire("y") == ["1"]


def test_event_handler_keeps_the_place_of_its_first_function(on: Page) -> None:
    on.target.add_event_listener("x", on.function("before"))
    on.target.set_event_handler("x", on.function("first"))
    on.target.add_event_listener("x", on.function("after"))
    on.target.set_event_handler("x", on.function("second"))
    assert on.fire() == ["before", "second", "after"]
    on.target.set_event_handler("x", None)
    assert on.fire() == ["before", "after"]
    on.target.set_event_handler("x", on.function("third"))
    assert on.fire() == ["before", "after", "third"]


def test_event_handler_is_separate_from_a_listener_with_the_same_function(on: Page) -> None:
    function = on.function("1")
    on.target.set_event_handler("x", function)
    on.target.remove_event_listener("x", function)
    assert on.fire() == ["1"]
    on.target.add_event_listener("x", function)
    assert on.fire() == ["1", "1"]


def test_event_handler_that_is_not_callable_does_nothing(on: Page) -> None:
    value = JSObject(on.document.realm)
    on.target.set_event_handler("x", value)
    assert on.target.get_event_handler("x") is value
    assert on.fire() == []


def test_once_listener_runs_once(on: Page) -> None:
    on.target.add_event_listener("x", on.function("once", lambda: on.fire()), once=True)
    on.target.add_event_listener("x", on.function("always"))
    on.fire()
    assert on.fire() == ["always"]


def test_listener_removed_during_dispatch_does_not_run(on: Page) -> None:
    second = on.function("second")
    on.target.add_event_listener("x", on.function("first", lambda: on.target.remove_event_listener("x", second)))
    on.target.add_event_listener("x", second)
    on.target.add_event_listener("x", on.function("third"))
    assert on.fire() == ["first", "third"]


def test_listener_added_during_dispatch_first_runs_at_the_next_event(on: Page) -> None:
    later = on.function("later")
    on.target.add_event_listener("x", on.function("first", lambda: on.target.add_event_listener("x", later)))
    assert on.fire() == ["first"]
    assert on.fire() == ["first", "later"]


def test_event_handler_changed_during_dispatch_runs_changed(on: Page) -> None:
    on.target.add_event_listener(
        "x", on.function("first", lambda: on.target.set_event_handler("x", on.function("new")))
    )
    on.target.set_event_handler("x", on.function("old"))
    assert on.fire() == ["first", "new"]


def test_exception_of_a_listener_is_reported_and_later_listeners_run(on: Page) -> None:
    def throw() -> None:
        raise Throw("thrown")

    on.target.add_event_listener("x", on.function("first", throw))
    on.target.add_event_listener("x", on.function("second"))
    assert on.fire() == ["first", "second"]
    user_agent = on.document.event_loop.user_agent
    assert user_agent.reported_exceptions == [(on.document, "thrown")]


def test_microtasks_run_between_listeners_when_no_script_is_running(on: Page) -> None:
    on.target.add_event_listener("x", on.function("first", lambda: on.microtask("microtask")))
    on.target.add_event_listener("x", on.function("second"))
    assert on.fire() == ["first", "microtask", "second"]


def test_microtasks_wait_for_a_script_that_dispatches(on: Page) -> None:
    on.target.add_event_listener("x", on.function("first", lambda: on.microtask("microtask")))
    on.target.add_event_listener("x", on.function("second"))
    realm = on.document.realm

    def script() -> None:
        dispatch(Event(realm, "x"), on.target)

    realm.agent.run_script(realm, script)
    assert on.log == ["first", "second", "microtask"]


def test_event_attributes_have_the_values_of_the_event(on: Page) -> None:
    event = Event(on.document.realm, "x", attributes={"toolName": "t"}, cancelable=True)
    assert event_attribute(event, "isTrusted") is False
    fire_an_event(event, on.target)
    names = ["type", "target", "isTrusted", "bubbles", "cancelable", "composed", "defaultPrevented", "toolName", "x"]
    assert [event_attribute(event, name) for name in names] == [
        "x", on.target, True, False, True, False, False, "t", UNDEFINED,
    ]  # fmt: skip
