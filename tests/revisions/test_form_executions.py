"""Calls of forms: filling in, submission, answers, and each way to their end."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.platform.dom.abort import AbortController
from modelcontext.platform.dom.dispatching import dispatch
from modelcontext.platform.dom.elements import remove_an_attribute, set_an_attribute_value
from modelcontext.platform.dom.mutations import append, remove
from modelcontext.platform.ecmascript.promise import Promise
from modelcontext.platform.ecmascript.values import UNDEFINED, BigInt, JSObject, JSValue, Throw
from modelcontext.platform.html.elements import HTMLElement, click
from modelcontext.platform.html.forms.form_controls import HTMLInputElement
from modelcontext.platform.html.forms.form_owners import HTMLFormElement
from modelcontext.platform.html.forms.resetting import reset
from modelcontext.platform.html.forms.submission import SubmitEvent, submit, submit_method
from modelcontext.platform.html.loading import (
    Response,
    insert_an_iframe,
    navigate,
    remove_an_iframe,
    replace_the_initial_document,
)
from modelcontext.platform.html.parsing import parse_html
from modelcontext.spec.revisions.current.form_pseudo_classes import has_an_active_execution
from modelcontext.spec.revisions.current.model import pending_executions_map, state_of
from tests.revisions.conftest import Page as Document
from tests.revisions.conftest import state

if TYPE_CHECKING:
    from tests.revisions.conftest import Page

WAITING = "<form id=f toolname=t tooldescription=d><input id=a name=a><button id=b>Go</button></form>"
AUTOSUBMIT = "<form id=f toolname=t tooldescription=d toolautosubmit><input id=a name=a><button id=b>Go</button></form>"


def by_id(page: Page, id_: str) -> HTMLElement:
    element = page.document.get_element_by_id(id_)
    assert isinstance(element, HTMLElement)
    return element


def form_of(page: Page) -> HTMLFormElement:
    form = by_id(page, "f")
    assert isinstance(form, HTMLFormElement)
    return form


def body_of(page: Page) -> HTMLElement:
    return next(
        node for node in page.document.descendants if isinstance(node, HTMLElement) and node.local_name == "body"
    )


def value_of(page: Page) -> str:
    element = by_id(page, "a")
    assert isinstance(element, HTMLInputElement)
    return element.value


def load(page: Page, html: str = WAITING) -> HTMLFormElement:
    page.run(lambda: parse_html(page.document, html))
    page.log.clear()
    return form_of(page)


def call(page: Page, caller: Page | None = None, signal: JSValue = UNDEFINED, **values: JSValue) -> Promise:
    """Call the tool of a page, from the page itself or from another one."""
    caller = caller if caller is not None else page
    members: dict[str, Any] = {
        "name": "t", "description": "", "origin": "https://a.test", "window": page.document.window.proxy,
    }  # fmt: skip
    options: dict[str, Any] = {} if signal is UNDEFINED else {"signal": signal}
    input_: dict[str, Any] = dict(values)
    realm = caller.realm
    return caller.call("executeTool", JSObject(realm, members), JSObject(realm, input_), JSObject(realm, options))


def listen(page: Page, type_: str, listener: Callable[[Any], object], id_: str = "f") -> None:
    def function(arguments: list[JSValue]) -> JSValue:
        listener(arguments[0])
        return UNDEFINED

    by_id(page, id_).add_event_listener(type_, page.function(function))


def answer(page: Page, value: JSValue) -> None:
    """Prevent the submissions of the form, and respond with a value."""

    def listener(event: SubmitEvent) -> None:
        event.set_the_canceled_flag()
        page.world.boundary.call(event, "respondWith", [value])

    listen(page, "submit", listener)


def entries(page: Page) -> int:
    return len(page.context.internal_context.local_pending_executions_map) + len(pending_executions_map(page.navigable))


def test_waiting_form_is_filled_in_and_its_button_has_the_focus(page: Page) -> None:
    form = load(page)
    log: list[object] = []
    listen(page, "change", lambda event: log.append(has_an_active_execution(form)))
    page.context.add_event_listener(
        "toolactivated", page.function(lambda _: log.append((value_of(page), has_an_active_execution(form))))
    )
    promise = call(page, a="x")
    assert promise.state == "pending"
    assert log == [False, ("x", True)]
    assert page.document.focused_area is by_id(page, "b")
    assert page.log == ["page: toolactivated"]


def test_click_of_the_user_submits_for_the_agent(page: Page) -> None:
    form = load(page)
    events: list[object] = []
    listen(
        page, "submit", lambda event: events.append((event.attributes["agentInvoked"], has_an_active_execution(form)))
    )
    promise = call(page)
    page.run(lambda: click(by_id(page, "b")))
    page.run(lambda: click(by_id(page, "b")))
    assert events == [(True, True), (False, False)]
    assert (promise.state, promise.result) == ("fulfilled", None)
    assert not has_an_active_execution(form)
    assert entries(page) == 0


def test_form_submits_itself(page: Page) -> None:
    load(page, AUTOSUBMIT)
    submitters: list[object] = []
    listen(page, "submit", lambda event: submitters.append((event.attributes["submitter"], list(page.log))))
    promise = call(page, a="x")
    assert submitters == [(by_id(page, "b"), ["page: toolactivated"])]
    assert (promise.state, promise.result) == ("fulfilled", None)


def test_form_without_a_button_submits_itself(page: Page) -> None:
    load(page, "<form id=f toolname=t tooldescription=d toolautosubmit><input id=a name=a></form>")
    assert call(page).state == "fulfilled"


@pytest.mark.parametrize(
    "html",
    [
        "<form id=f toolname=t tooldescription=d><input name=a></form>",
        "<form id=f toolname=t tooldescription=d><input name=a><button disabled>Go</button></form>",
        "<form id=f toolname=t tooldescription=d><input name=a><button type=reset>Go</button></form>",
    ],
)
def test_waiting_form_needs_a_button(html: str, page: Page) -> None:
    load(page, html)
    assert state(call(page)) == "UnknownError"
    assert page.log == []


@pytest.mark.parametrize(
    "rest",
    [
        "<input type=submit id=b></form>",
        "<input type=image id=b></form>",
        "<button type=button>Help</button><button id=b>Go</button></form>",
        "</form><button form=f id=b>Go</button>",
    ],
)
def test_any_submit_button_is_the_button_of_a_form(rest: str, page: Page) -> None:
    load(page, f"<form id=f toolname=t tooldescription=d><input id=a name=a>{rest}")
    call(page)
    execution = state_of(form_of(page)).execution
    assert execution is not None
    assert execution.chosen_button is by_id(page, "b")


def test_call_with_an_invalid_value_fails_and_fills_in_nothing(page: Page) -> None:
    load(page)
    assert state(call(page, a="x", b="y")) == "UnknownError"
    assert value_of(page) == ""
    assert page.log == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("text", "text"),
        (UNDEFINED, None),
        (None, "null"),
        (5, "5"),
        (True, "true"),
    ],
)
def test_answer_is_the_result(value: JSValue, expected: str | None, page: Page) -> None:
    load(page, AUTOSUBMIT)
    answer(page, value)
    promise = call(page)
    assert (promise.state, promise.result) == ("fulfilled", expected)
    assert entries(page) == 0


def test_object_is_answered_as_json(page: Page) -> None:
    load(page, AUTOSUBMIT)
    answer(page, JSObject(page.realm, {"a": 1}))
    assert call(page).result == '{"a":1}'


def test_answer_without_json_text_fails(page: Page) -> None:
    load(page, AUTOSUBMIT)
    answer(page, BigInt(1))
    assert state(call(page)) == "UnknownError"


def test_rejected_answer_fails(page: Page) -> None:
    load(page, AUTOSUBMIT)
    rejected = Promise(page.realm)
    page.run(lambda: rejected.reject("reason"))
    answer(page, rejected)
    assert state(call(page)) == "UnknownError"
    assert entries(page) == 0


def test_prevented_submission_without_an_answer_fails(page: Page) -> None:
    load(page, AUTOSUBMIT)
    listen(page, "submit", lambda event: event.set_the_canceled_flag())
    assert state(call(page)) == "UnknownError"


def test_last_answer_counts(page: Page) -> None:
    load(page, AUTOSUBMIT)
    answer(page, "first")
    answer(page, "second")
    assert call(page).result == "second"


def respond(page: Page, event: SubmitEvent) -> str:
    try:
        page.world.boundary.call(event, "respondWith", [1])
    except Throw as throw:
        return str(getattr(throw.value, "name", ""))
    return "no exception"


def test_respond_with_needs_an_agent_a_prevented_event_and_its_dispatch(page: Page) -> None:
    load(page)
    log: list[str] = []
    events: list[SubmitEvent] = []

    def listener(event: SubmitEvent) -> None:
        events.append(event)
        log.append(respond(page, event))
        event.set_the_canceled_flag()
        log.append(respond(page, event))

    listen(page, "submit", listener)
    page.run(lambda: submit(form_of(page)))
    call(page)
    page.run(lambda: submit(form_of(page)))
    page.run(lambda: log.append(respond(page, events[1])))
    assert log == ["InvalidStateError"] * 3 + ["no exception", "InvalidStateError"]


def test_synthetic_submit_event_does_nothing(page: Page) -> None:
    form = load(page)
    promise = call(page)
    event = SubmitEvent(page.realm, "submit", "SubmitEvent", {"agentInvoked": True}, cancelable=True)
    page.run(lambda: dispatch(event, form))
    assert promise.state == "pending"


def test_invalid_form_ends_the_call(page: Page) -> None:
    form = load(page, WAITING.replace("name=a", "name=a required"))
    invalid: list[str] = []
    listen(page, "invalid", lambda event: invalid.append(event.type), "a")
    promise = call(page)
    page.run(lambda: click(by_id(page, "b")))
    assert state(promise) == "UnknownError"
    assert invalid == ["invalid"]
    assert page.document.focused_area is by_id(page, "a")
    assert not has_an_active_execution(form)


@pytest.mark.parametrize("attribute", ["f novalidate", "b formnovalidate"])
def test_form_that_asks_for_no_validation_is_submitted(attribute: str, page: Page) -> None:
    load(page, AUTOSUBMIT.replace("name=a", "name=a required"))
    id_, name = attribute.split()
    set_an_attribute_value(by_id(page, id_), name, "")
    assert call(page).state == "fulfilled"


def test_submit_method_ends_the_call(page: Page) -> None:
    load(page)
    promise = call(page)
    page.run(lambda: submit_method(form_of(page)))
    assert (promise.state, promise.result) == ("fulfilled", None)


def test_submission_by_a_listener_of_toolactivated_is_the_agents(page: Page) -> None:
    form = load(page, AUTOSUBMIT)
    events: list[object] = []
    listen(page, "submit", lambda event: events.append(event.attributes["agentInvoked"]))
    page.context.add_event_listener("toolactivated", page.function(lambda _: submit(form)))
    assert call(page).state == "fulfilled"
    assert events == [True]


WAYS: dict[str, Callable[[Any], object]] = {
    "reset": lambda page: reset(form_of(page)),
    "removed": lambda page: remove(form_of(page)),
    "moved": lambda page: append(form_of(page), body_of(page)),
    "without a name": lambda page: remove_an_attribute(form_of(page), "toolname"),
    "another description": lambda page: set_an_attribute_value(form_of(page), "tooldescription", "new"),
    "another schema": lambda page: set_an_attribute_value(by_id(page, "a"), "required", ""),
}


@pytest.mark.parametrize("way", WAYS)
def test_page_ends_the_call_while_the_form_waits(way: str, page: Page) -> None:
    form = load(page)
    promise = call(page, a="x")
    page.log.clear()
    page.run(lambda: WAYS[way](page))
    assert state(promise) == "UnknownError"
    assert "page: toolcancel" not in page.log
    assert not has_an_active_execution(form)
    assert entries(page) == 0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("when", ["in the listener", "later"])
def test_page_that_has_responded_ends_no_call(when: str, way: str, page: Page) -> None:
    load(page, AUTOSUBMIT)
    pending = Promise(page.realm)
    answer(page, pending)
    if when == "in the listener":
        listen(page, "submit", lambda event: WAYS[way](page))
    promise = call(page)
    if when == "later":
        page.run(lambda: WAYS[way](page))
    assert promise.state == "pending"
    page.run(lambda: pending.resolve("done"))
    assert promise.result == "done"


@pytest.mark.parametrize("way", WAYS)
def test_listener_that_interrupts_the_filling_ends_the_call(way: str, page: Page) -> None:
    load(page)
    listen(page, "input", lambda event: WAYS[way](page))
    assert state(call(page, a="x")) == "UnknownError"
    assert entries(page) == 0


def test_form_that_a_listener_of_submit_removes_is_not_submitted(page: Page) -> None:
    load(page, AUTOSUBMIT)
    listen(page, "submit", lambda event: remove(form_of(page)))
    assert state(call(page)) == "UnknownError"


@pytest.mark.parametrize("html", [WAITING, AUTOSUBMIT])
def test_abort_ends_the_call_and_keeps_the_values(html: str, page: Page) -> None:
    form = load(page, html)
    answer(page, Promise(page.realm))
    matches: list[bool] = []
    page.context.add_event_listener(
        "toolcancel", page.function(lambda _: matches.append(has_an_active_execution(form)))
    )
    controller = AbortController(page.realm)
    promise = call(page, signal=controller.signal, a="x")
    page.run(lambda: controller.signal.signal_abort("reason"))
    assert (promise.state, promise.result) == ("rejected", "reason")
    assert page.log == ["page: toolactivated", "page: toolcancel"]
    assert matches == [False]
    assert value_of(page) == "x"
    assert entries(page) == 0


def test_answer_after_an_abort_is_dropped(page: Page) -> None:
    load(page, AUTOSUBMIT)
    pending = [Promise(page.realm), Promise(page.realm)]
    for promise in pending:
        answer(page, promise)
        signal = AbortController(page.realm).signal
        call(page, signal=signal)
        page.run(signal.signal_abort)
    page.run(lambda: pending[0].resolve(1))
    page.run(lambda: pending[1].reject(1))
    assert entries(page) == 0


@pytest.mark.parametrize("html", [WAITING, AUTOSUBMIT])
def test_second_call_is_rejected_and_disturbs_nothing(html: str, page: Page) -> None:
    load(page, html)
    pending = Promise(page.realm)
    answer(page, pending)
    first = call(page, a="x")
    assert state(call(page, a="y")) == "UnknownError"
    assert value_of(page) == "x"
    page.run(lambda: click(by_id(page, "b")))
    page.run(lambda: pending.resolve("done"))
    assert first.result == "done"
    assert call(page, a="z").state in ("pending", "fulfilled")


def test_caller_that_goes_away_cancels_the_call(page: Page) -> None:
    form = load(page)
    frame = page.frame("frame")
    promise = call(page, frame)
    page.log.clear()
    page.run(lambda: remove_an_iframe(page.document.navigable_containers[0]))
    assert promise.state == "pending"
    assert page.log == ["page: toolcancel"]
    assert not has_an_active_execution(form)


def test_call_fails_if_its_form_goes_away_with_its_document(page: Page) -> None:
    frame = page.frame("frame")
    load(frame)
    promise = call(frame, page)
    navigate(frame.navigable, Response("https://a.test/next"))
    page.world.run_until_idle()
    assert state(promise) == "UnknownError"


def test_form_in_a_sandbox_without_forms_cannot_be_called(page: Page) -> None:
    container = insert_an_iframe(page.document, sandbox="allow-scripts allow-same-origin")
    assert container.content_navigable is not None
    document = replace_the_initial_document(container.content_navigable, Response("https://a.test/"))
    frame = Document(page.world, document, "frame", page.log)
    for html in (WAITING, AUTOSUBMIT):
        if html == WAITING:
            load(frame, html)
        else:
            frame.run(lambda: set_an_attribute_value(form_of(frame), "toolautosubmit", ""))
        assert state(call(frame, page, a="x")) == "UnknownError"
        assert value_of(frame) == ""


def test_form_that_cannot_submit_itself_fails(page: Page) -> None:
    form = load(page, AUTOSUBMIT)
    form.firing_submission_events = True
    assert state(call(page)) == "UnknownError"
