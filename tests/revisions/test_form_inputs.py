"""Validating the input of a call, and filling in a form."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from modelcontext.platform.dom.elements import set_an_attribute_value
from modelcontext.platform.dom.events import Event
from modelcontext.platform.dom.mutations import remove
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction, JSValue
from modelcontext.platform.html.forms.form_controls import HTMLInputElement, HTMLTextAreaElement
from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
from modelcontext.platform.html.forms.select import HTMLSelectElement
from modelcontext.platform.html.parsing import parse_html
from modelcontext.spec.revisions.current.form_input import perform_an_assignment, validate_the_input_of_a_form

if TYPE_CHECKING:
    from tests.revisions.conftest import Page

BOXES = "<input name=a type=checkbox value=x><input name=a type=checkbox value=y checked>"
RADIOS = "<input name=a type=radio value=x><input name=a type=radio value=y checked><input name=a type=radio value=x>"
SELECT = "<select name=a><option>x<option selected>y<option>x<option disabled>z</select>"
MULTIPLE = "<select name=a multiple><option>x<option selected>y<option disabled selected>z</select>"


def load(page: Page, controls: str) -> HTMLFormElement:
    parse_html(page.document, f"<form id=f>{controls}</form>")
    form = page.document.get_element_by_id("f")
    assert isinstance(form, HTMLFormElement)
    return form


def state(element: FormAssociatedElement) -> object:
    if isinstance(element, HTMLInputElement):
        return element.checkedness if element.type_state in ("checkbox", "radio") else element.value
    if isinstance(element, HTMLTextAreaElement):
        return element.raw_value
    assert isinstance(element, HTMLSelectElement)
    return "".join(option.value for option in element.list_of_options if option.selectedness)


def fill(page: Page, form: HTMLFormElement, values: object) -> bool:
    """Fill in a form in a task, and return whether the values are valid."""

    def script() -> bool:
        assignments = validate_the_input_of_a_form(form, json.dumps(values))
        for assignment in assignments or ():
            perform_an_assignment(form, assignment)
        return assignments is not None

    return bool(page.run(script))


def log_events(page: Page, form: HTMLFormElement) -> list[str]:
    log: list[str] = []

    def listener(arguments: list[JSValue]) -> JSValue:
        (event,) = arguments
        assert isinstance(event, Event)
        assert event.is_trusted
        assert isinstance(event.target, FormAssociatedElement)
        log.append(f"{event.type} {event.target.get_attribute('name')} {event.bubbles} {event.composed}")
        return UNDEFINED

    for type_ in ("input", "change"):
        form.add_event_listener(type_, page.function(listener))
    return log


@pytest.mark.parametrize(
    ("control", "value", "states"),
    [
        ("<input name=a>", "x\ny", ["xy"]),
        ("<input name=a value=v>", "", [""]),
        ("<input name=a>", 1e21, ["1e+21"]),
        ("<input name=a>", 0.1, ["0.1"]),
        ("<input name=a>", True, ["true"]),
        ("<input name=a maxlength=1>", "xyz", ["xyz"]),
        ("<input name=a type=email>", " a@b.c ", ["a@b.c"]),
        ("<input name=a type=hidden toolparamdescription=A>", "h", ["h"]),
        ("<textarea name=a>t</textarea>", "\n", ["\n"]),
        ("<input name=a type=date value=2026-01-01>", "", [""]),
        ("<input name=a type=date>", "2026-02-28", ["2026-02-28"]),
        ("<input name=a type=time>", "10:00:30", ["10:00:30"]),
        ("<input name=a type=number max=3>", 5, ["5"]),
        ("<input name=a type=number>", ".5", [".5"]),
        ("<input name=a type=range>", 150, ["100"]),
        ("<input name=a type=color>", "#00FF00", ["#00ff00"]),
        ("<input name=a type=checkbox>", -1, [True]),
        ("<input name=a type=checkbox checked>", "FALSE", [False]),
        ("<input name=a type=checkbox checked>", 0, [False]),
        ("<input name=a type=checkbox>", "1", [True]),
        (BOXES, ["x"], [True, False]),
        (BOXES, [], [False, False]),
        (RADIOS, "x", [True, False, False]),
        ("<input name=a type=radio value=1>", 1, [True]),
        (SELECT, "x", ["x"]),
        (MULTIPLE, ["x"], ["xz"]),
        (MULTIPLE, [], ["z"]),
    ],
)
def test_control_takes_a_value(control: str, value: object, states: list[object], page: Page) -> None:
    form = load(page, control)
    assert fill(page, form, {"a": value})
    assert [state(element) for element in form.listed_elements] == states


@pytest.mark.parametrize(
    ("control", "value"),
    [
        ("<input name=a>", None),
        ("<input name=a>", []),
        ("<input name=a>", "\n"),
        ("<input name=a type=url>", "  "),
        ("<input name=a type=date>", "2026-02-29"),
        ("<input name=a type=number>", ""),
        ("<input name=a type=number>", "+5"),
        ("<input name=a type=number>", True),
        ("<input name=a type=range>", "x"),
        ("<input name=a type=color>", ""),
        ("<input name=a type=color>", "green"),
        ("<input name=a type=checkbox>", 1.5),
        ("<input name=a type=checkbox>", "on"),
        ("<input name=a type=checkbox>", None),
        (BOXES, "x"),
        (BOXES, ["x", "x"]),
        (BOXES, ["z"]),
        (BOXES, [None]),
        (RADIOS, "z"),
        (RADIOS, ["x"]),
        (SELECT, "z"),
        (SELECT, {}),
        (MULTIPLE, ["z"]),
        ("<input name=a><input name=a>", "x"),
        ("<input name=b>", "x"),
        ("<input name=a disabled>", "x"),
        ("<input name=a type=hidden>", "x"),
        ("<button name=a></button>", "x"),
    ],
)
def test_value_that_a_control_does_not_take_fills_in_nothing(control: str, value: object, page: Page) -> None:
    form = load(page, f"<input name=before value=old>{control}")
    before = {id(element): element for element in form.listed_elements}
    assert not fill(page, form, {"before": "new", "a": value})
    (first, *_) = before.values()
    assert state(first) == "old"


@pytest.mark.parametrize("values", [[], "x", 1, None])
def test_input_must_be_an_object(values: object, page: Page) -> None:
    assert not fill(page, load(page, "<input name=a>"), values)


@pytest.mark.parametrize(
    ("control", "value", "events"),
    [
        ("<input name=a>", "x", 1),
        ("<input name=a value=x>", "x", 0),
        ("<input name=a type=checkbox checked>", True, 0),
        (BOXES, ["x"], 2),
        (BOXES, ["y"], 0),
        (RADIOS, "x", 1),
        (RADIOS, "y", 0),
        (SELECT, "x", 1),
        (SELECT, "y", 0),
        (MULTIPLE, ["x", "y"], 1),
        (MULTIPLE, ["y"], 0),
    ],
)
def test_each_control_that_changes_fires_input_and_change(control: str, value: Any, events: int, page: Page) -> None:
    form = load(page, control)
    log = log_events(page, form)
    fill(page, form, {"a": value})
    assert log == ["input a True True", "change a True False"] * events


def test_controls_are_filled_in_in_the_order_of_the_input(page: Page) -> None:
    form = load(page, "<input name=a><input name=b>")
    log = log_events(page, form)
    fill(page, form, {"b": 1, "a": 2})
    assert [entry.split()[1] for entry in log] == ["b", "b", "a", "a"]


@pytest.mark.parametrize("change", ["remove", "type", "option"])
def test_control_that_a_listener_changes_before_its_turn_is_left_alone(change: str, page: Page) -> None:
    form = load(page, f"<input name=b>{SELECT if change == 'option' else '<input name=a value=1>'}")
    first, second = form.listed_elements
    before = state(second)

    def listener(this: JSValue, arguments: list[JSValue]) -> JSValue:
        if change == "remove":
            remove(second)
        elif change == "type":
            set_an_attribute_value(second, "type", "number")
        else:
            assert isinstance(second, HTMLSelectElement)
            for option in list(second.list_of_options):
                set_an_attribute_value(option, "value", "other")
        return UNDEFINED

    first.add_event_listener("input", JSFunction(page.realm, listener))
    assert fill(page, form, {"b": "new", "a": "x"})
    assert state(first) == "new"
    assert state(second) == ("other" if change == "option" else before)
