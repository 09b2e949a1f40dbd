"""The operations on elements and their events in the model: the same as in ``runtime/elements.js``, step for step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from modelcontext.platform.dom.dispatching import dispatch
from modelcontext.platform.dom.elements import Element, remove_an_attribute, set_an_attribute_value
from modelcontext.platform.dom.events import Event, EventTarget
from modelcontext.platform.dom.mutations import pre_insert, remove
from modelcontext.platform.ecmascript.values import UNDEFINED, JSFunction, JSValue, Throw, type_error
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.elements import HTMLElement, click
from modelcontext.platform.html.forms.form_controls import (
    HTMLButtonElement,
    HTMLInputElement,
    HTMLOutputElement,
    HTMLTextAreaElement,
)
from modelcontext.platform.html.forms.form_owners import HTMLFormElement
from modelcontext.platform.html.forms.input_types import ValueMode, input_type, value_mode
from modelcontext.platform.html.forms.resetting import reset
from modelcontext.platform.html.forms.select import HTMLOptionElement, HTMLSelectElement, select_alone
from modelcontext.platform.html.forms.submission import SubmitEvent, request_submit, submit_method
from modelcontext.platform.webidl.dom_exception import DOMException
from modelcontext.spec.verbs import form_verbs as verbs

if TYPE_CHECKING:
    from modelcontext.programs.program.language import ProgramStep
    from modelcontext.programs.program.stage import Interpreter, Stage


class ElementOperations:
    """The operations on the elements of one document; each is the method of its name.

    ``make`` makes the value of a key of a step, or undefined; ``written`` writes a value.
    """

    def __init__(
        self,
        stage: Stage,
        document: Document,
        script: Interpreter,
        written: Callable[[JSValue], object],
        make: Callable[[ProgramStep, str], JSValue],
    ) -> None:
        self._stage = stage
        self._document = document
        self._script = script
        self._written = written
        self._make = make
        self._known: dict[tuple[str | None, str], Element] = {}
        self._events: dict[str, Event] = {}
        self._handled: Event | None = None

    def _element(self, step: ProgramStep, key: str = "element") -> Element:
        found = self._element_or_null(step, key)
        if found is None:
            raise type_error("null has no members")
        return found

    def _element_or_null(self, step: ProgramStep, key: str) -> Element | None:
        id_ = step.arguments[key]
        document = self._document if step.on is None else self._stage.arrived(step.on)
        found = document.get_element_by_id(id_) or self._known.get((step.on, id_))
        if not isinstance(found, Element):
            return None
        self._known[step.on, id_] = found
        return found

    def _form(self, step: ProgramStep) -> HTMLFormElement:
        form = self._element(step)
        if not isinstance(form, HTMLFormElement):
            raise type_error(f"{form} is not a form")
        return form

    def set_attribute(self, step: ProgramStep) -> None:
        set_an_attribute_value(self._element(step), step.arguments["name"].lower(), step.arguments["value"])

    def remove_attribute(self, step: ProgramStep) -> None:
        remove_an_attribute(self._element(step), step.arguments["name"].lower())

    def insert_adjacent_html(self, step: ProgramStep) -> None:
        from modelcontext.platform.html.parsing import (
            parse_a_fragment,  # It takes long to import, and few programs need it.
        )

        element = self._element(step)
        position = step.arguments.get("position", "beforeend")
        context = element.parent if position in ("beforebegin", "afterend") else element
        if not isinstance(context, Element):
            raise type_error(f"{element} has no parent")
        child = {
            "beforebegin": element,
            "afterbegin": element.first_child,
            "beforeend": None,
            "afterend": element.next_sibling,
        }[position]
        pre_insert(parse_a_fragment(context, step.arguments["html"]), context, child)

    def append(self, step: ProgramStep) -> None:
        pre_insert(self._element(step, "child"), self._element(step), None)

    def remove(self, step: ProgramStep) -> None:
        element = self._element(step)
        if element.parent is not None:
            remove(element)

    def fill(self, step: ProgramStep) -> None:
        element = self._element(step)
        for key, assign in ASSIGNMENTS.items():
            if key in step.arguments:
                assign(element, step.arguments[key])
        dispatch(Event(self._document.realm, "input", bubbles=True, composed=True), element)
        dispatch(Event(self._document.realm, "change", bubbles=True), element)

    def click(self, step: ProgramStep) -> None:
        element = self._element(step)
        if not isinstance(element, HTMLElement):
            raise type_error(f"{element} has no method click")
        click(element)

    def reset(self, step: ProgramStep) -> None:
        reset(self._form(step))

    def request_submit(self, step: ProgramStep) -> None:
        submitter = self._element_or_null(step, "submitter") if "submitter" in step.arguments else None
        if submitter is not None and not isinstance(submitter, HTMLElement):
            raise type_error(f"{submitter} is not an HTML element")
        request_submit(self._form(step), submitter)

    def submit(self, step: ProgramStep) -> None:
        submit_method(self._form(step))

    def matches(self, step: ProgramStep) -> None:
        element, selector = self._element(step), step.arguments["selector"]
        if selector == ":focus":
            document = element.node_document
            value = isinstance(document, Document) and document.focused_area is element
        else:
            value = self._stage.world.revision.matches(element, selector)
        self._script.record({"step": step.label, "value": value})

    def get(self, step: ProgramStep) -> None:
        value = READERS[step.arguments["path"][0]](self._element(step))
        self._script.record({"step": step.label, "value": self._written(value)})

    def listen(self, step: ProgramStep) -> None:
        def handle(this: JSValue, arguments: list[JSValue]) -> JSValue:
            event = arguments[0]
            assert isinstance(event, Event)
            outer, self._handled = self._handled, event
            self._events[step.label] = event
            self._script.record({"event": event.type, "via": "listener", **self._attributes(event)}, event.fired_by)
            self._script.run_nested(step.arguments.get("steps", ()))
            self._handled = outer
            return UNDEFINED

        listener = JSFunction(self._document.realm, handle)
        self._element(step).add_event_listener(step.arguments["type"], listener)

    def _attributes(self, event: Event) -> Mapping[str, object]:
        at, target = _id_of(event.current_target), _id_of(event.target)
        found: dict[str, object] = {
            "at": at,
            **({} if target == at else {"target": target}),
            "interface": event.event_interface,
        }
        if isinstance(event, SubmitEvent):
            found["agentInvoked"] = event.attributes["agentInvoked"]
            found["submitter"] = _id_of(event.attributes["submitter"])
        return found

    def _event(self, step: ProgramStep) -> Event:
        event = self._events.get(step.arguments["event"]) if "event" in step.arguments else self._handled
        if event is None:
            raise type_error("undefined has no members")
        return event

    def prevent_default(self, step: ProgramStep) -> None:
        self._event(step).set_the_canceled_flag()

    def respond_with(self, step: ProgramStep) -> None:
        event, value = self._event(step), self._make(step, "value")
        if not isinstance(event, SubmitEvent):
            raise type_error("the event has no method respondWith")
        self._stage.world.boundary.call(event, "respondWith", [value] if "value" in step.arguments else [])


def _id_of(target: JSValue | EventTarget) -> str | None:
    return target.get_attribute("id") if isinstance(target, Element) else None


def _assign_value(element: Element, value: str) -> None:
    if isinstance(element, HTMLSelectElement):
        option = next((option for option in element.list_of_options if option.value == value), None)
        if option is not None:
            option.dirtiness = True
            select_alone(element, option)
        else:
            for other in list(element.selected):
                other.set_selectedness(False)
    elif isinstance(element, HTMLTextAreaElement) or (
        isinstance(element, HTMLInputElement) and value_mode(input_type(element.type_state)) is ValueMode.VALUE
    ):
        verbs.set_value(element, value)
    elif isinstance(element, HTMLInputElement) and value_mode(input_type(element.type_state)) is ValueMode.FILENAME:
        # Programs have no files, so that there is no list of selected files to empty.
        if value:
            raise Throw(DOMException("InvalidStateError"))
    elif isinstance(element, HTMLInputElement | HTMLButtonElement):
        set_an_attribute_value(element, "value", value)


def _assign_checked(element: Element, checked: bool) -> None:
    if isinstance(element, HTMLInputElement):
        verbs.set_checkedness(element, checked)


def _assign_selected(element: Element, values: list[str]) -> None:
    if not isinstance(element, HTMLSelectElement):
        raise type_error(f"{element} has no options")
    for option in list(element.list_of_options):
        option.dirtiness = True
        option.set_selectedness(option.value in values)


def _value(element: Element) -> JSValue:
    """Return the IDL attribute ``value`` of a form control."""
    if isinstance(element, HTMLInputElement):
        mode = value_mode(input_type(element.type_state))
        if mode is ValueMode.VALUE:
            return element.value
        if mode is ValueMode.FILENAME:
            return ""
        return element.attributes.get("value", "on" if mode is ValueMode.DEFAULT_ON else "")
    if isinstance(element, HTMLTextAreaElement):
        return element.raw_value.replace("\r\n", "\n").replace("\r", "\n")
    if isinstance(element, HTMLSelectElement):
        return next((option.value for option in element.list_of_options if option.selectedness), "")
    if isinstance(element, HTMLOptionElement | HTMLOutputElement):
        return element.value
    if isinstance(element, HTMLButtonElement):
        return element.get_attribute("value") or ""
    return UNDEFINED


def _checked(element: Element) -> JSValue:
    return element.checkedness if isinstance(element, HTMLInputElement) else UNDEFINED


def _selected(element: Element) -> JSValue:
    return element.selectedness if isinstance(element, HTMLOptionElement) else UNDEFINED


#: What sets the IDL attributes of form controls, and what reads them.
ASSIGNMENTS: Mapping[str, Callable[..., None]] = {
    "value": _assign_value,
    "checked": _assign_checked,
    "selected": _assign_selected,
}
READERS: Mapping[str, Callable[[Element], JSValue]] = {"value": _value, "checked": _checked, "selected": _selected}
