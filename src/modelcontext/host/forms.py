"""The verbs of algorithms about elements and forms, each in the words of its standard (named in parentheses).

A tree belongs to one event loop, so none of them touches what steps in parallel share.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from modelcontext.dom.dispatching import fire_an_event
from modelcontext.dom.elements import set_an_attribute_value
from modelcontext.dom.events import Event
from modelcontext.ecmascript.json import number_to_string as number_to_string
from modelcontext.html import input_numbers
from modelcontext.html.colors import is_a_valid_simple_color as is_a_valid_simple_color
from modelcontext.html.control_facts import attribute_applies as attribute_applies
from modelcontext.html.control_facts import input_facts_of
from modelcontext.html.disabledness import HTMLFieldSetElement
from modelcontext.html.disabledness import is_disabled as is_disabled
from modelcontext.html.document import Document
from modelcontext.html.focus import focusing_steps as run_the_focusing_steps
from modelcontext.html.form_controls import HTMLButtonElement, HTMLInputElement, HTMLTextAreaElement
from modelcontext.html.forms import cannot_navigate as cannot_navigate
from modelcontext.html.forms import submit as run_the_form_submission_algorithm
from modelcontext.html.forms import watching_forms
from modelcontext.html.labels import labels_of as labels_of
from modelcontext.html.labels import text_without_labelable_elements as text_without_labelable_elements
from modelcontext.html.navigable import is_sandboxed_without
from modelcontext.html.numbers import best_representation_as_a_floating_point_number
from modelcontext.html.numbers import is_a_valid_floating_point_number as is_a_valid_floating_point_number
from modelcontext.html.patterns import compiled_pattern_regular_expression
from modelcontext.html.sanitization import value_sanitization_algorithm
from modelcontext.html.select import HTMLSelectElement
from modelcontext.html.select import select_alone as select_option_alone
from modelcontext.infra.strings import (
    strip_leading_and_trailing_ascii_whitespace as strip_leading_and_trailing_ascii_whitespace,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from modelcontext.dom.elements import Element
    from modelcontext.dom.nodes import TreeScope
    from modelcontext.html.elements import HTMLElement
    from modelcontext.html.forms import FormAssociatedElement, HTMLFormElement, SubmitEvent
    from modelcontext.html.select import HTMLOptionElement


def is_connected(element: Element) -> bool:
    """Return whether an element is connected (DOM)."""
    return element.is_connected


def is_scripting_disabled(element: Element) -> bool:
    """Return whether scripting is disabled for an element (HTML)."""
    document = element.node_document
    return (
        not isinstance(document, Document) or document.is_destroyed or is_sandboxed_without(document, "allow-scripts")
    )


def node_document(element: Element) -> Document:
    """Return the node document of an element in a document that has a browsing context (DOM)."""
    return cast("Document", element.node_document)


def is_element(element: Element, local_name: str) -> bool:
    """Return whether an element is an HTML element with a local name."""
    return element.local_name == local_name


def has_attribute(element: Element, name: str) -> bool:
    """Return whether an element has an attribute (DOM)."""
    return element.has_attribute(name)


def attribute_value(element: Element, name: str) -> str:
    """Return the value of an attribute of an element, or the empty string if the element has none (DOM)."""
    return element.get_attribute(name) or ""


def forms_without_an_update(root: TreeScope) -> list[HTMLFormElement]:
    """Return the form elements below a root that await no update, without those that have never had one.

    Only what happens to such a form itself can make it a tool. A document with many forms is parsed in linear time so.
    """
    return watching_forms(root)


def listed_elements(form: HTMLFormElement) -> list[FormAssociatedElement]:
    """Return the listed elements whose form owner is a form, in tree order (HTML)."""
    return form.listed_elements


def type_state(element: FormAssociatedElement) -> str:
    """Return the keyword of the state of the type attribute of an input element (HTML)."""
    return _input(element).type_state


def list_of_options(select: FormAssociatedElement) -> list[HTMLOptionElement]:
    """Return the list of options of a select element (HTML)."""
    assert isinstance(select, HTMLSelectElement)
    return list(select.list_of_options)


def minimum(element: FormAssociatedElement) -> Fraction | None:
    """Return the minimum of an input element, or None (HTML)."""
    return input_numbers.minimum(input_facts_of(_input(element)))


def maximum(element: FormAssociatedElement) -> Fraction | None:
    """Return the maximum of an input element, or None (HTML)."""
    return input_numbers.maximum(input_facts_of(_input(element)))


def allowed_value_step(element: FormAssociatedElement) -> Fraction | None:
    """Return the allowed value step of an input element, or None (HTML)."""
    return input_numbers.allowed_value_step(input_facts_of(_input(element)))


def step_base(element: FormAssociatedElement) -> Fraction:
    """Return the step base of an input element (HTML)."""
    return input_numbers.step_base(input_facts_of(_input(element)))


def infra_number(number: Fraction) -> int | float:
    """Return a number as JSON has it: the nearest one of IEEE 754."""
    value: int | float = json.loads(best_representation_as_a_floating_point_number(number))
    return value


def has_a_compiled_pattern_regular_expression(element: FormAssociatedElement) -> bool:
    """Return whether the pattern attribute of an element is a regular expression (HTML)."""
    return compiled_pattern_regular_expression(attribute_value(element, "pattern")) is not None


def nearest_fieldset(elements: Sequence[FormAssociatedElement]) -> HTMLFieldSetElement | None:
    """Return the nearest fieldset element that is an ancestor of all elements, or None."""
    first, *others = elements
    around = [set(element.ancestors) for element in others]
    fieldsets = (ancestor for ancestor in first.ancestors if isinstance(ancestor, HTMLFieldSetElement))
    return next((fieldset for fieldset in fieldsets if all(fieldset in ancestors for ancestors in around)), None)


def serialize_an_infra_value_to_a_json_string(value: object) -> str:
    """Serialize an Infra value to a JSON string (Infra)."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _input(element: FormAssociatedElement) -> HTMLInputElement:
    assert isinstance(element, HTMLInputElement)
    return element


def form_owner(element: FormAssociatedElement) -> HTMLFormElement | None:
    """Return the form owner of an element, or None (HTML)."""
    return element.form_owner


def choice_value(element: FormAssociatedElement) -> str:
    """Return the value of a checkbox or a radio button: it is in mode default/on (HTML)."""
    return element.attributes.get("value", "on")


def checkedness_of(element: FormAssociatedElement) -> bool:
    """Return the checkedness of an input element (HTML)."""
    return _input(element).checkedness


def set_checkedness(element: FormAssociatedElement, checkedness: bool) -> None:
    """Set the checkedness of an input element, and its dirty checkedness flag to true (HTML)."""
    input_element = _input(element)
    input_element.dirty_checkedness_flag = True
    input_element.set_checkedness(checkedness)


def set_selectedness(option: HTMLOptionElement, selectedness: bool) -> None:
    """Set the selectedness of an option element, and its dirtiness to true (HTML)."""
    option.dirtiness = True
    option.set_selectedness(selectedness)


def first_enabled_option(select: FormAssociatedElement, value: str) -> HTMLOptionElement | None:
    """Return the first option with a value in the list of options that is not disabled, or None (HTML)."""
    options = (option for option in list_of_options(select) if not option.is_disabled)
    return next((option for option in options if option.value == value), None)


def select_alone(select: FormAssociatedElement, option: HTMLOptionElement) -> None:
    """Set the selectedness and the dirtiness of an option to true, and the selectedness of the others to false (HTML)."""
    assert isinstance(select, HTMLSelectElement)
    option.dirtiness = True
    select_option_alone(select, option)


def value_of(element: FormAssociatedElement) -> str:
    """Return the value of an input element, or the raw value of a textarea element (HTML)."""
    return element.raw_value if isinstance(element, HTMLTextAreaElement) else _input(element).value


def set_value(element: FormAssociatedElement, value: str) -> None:
    """Set the value of an input or a textarea element, with what HTML does in consequence (HTML)."""
    if isinstance(element, HTMLTextAreaElement):
        element.raw_value = value
        element.dirty_value_flag = True
        return
    input_element = _input(element)
    if input_element.type_state == "hidden":
        set_an_attribute_value(input_element, "value", value)
    else:
        input_element.set_value(value)
    input_element.dirty_value_flag = True


def sanitized_value(element: FormAssociatedElement, value: str) -> str:
    """Return what the value sanitization algorithm of an input element makes of a value (HTML)."""
    return value_sanitization_algorithm(replace(input_facts_of(_input(element)), value=value))


def fire_an_event_at_an_element(name: str, element: HTMLElement, *, bubbles: bool, composed: bool = False) -> None:
    """Fire an event at an element, on its event loop (DOM)."""
    fire_an_event(Event(element.node_document.realm, name, bubbles=bubbles, composed=composed), element)


def default_button(form: HTMLFormElement) -> FormAssociatedElement | None:
    """Return the first submit button of a form that is not disabled, in tree order, or None (HTML)."""
    buttons = (node for node in form.listed_elements if isinstance(node, HTMLButtonElement | HTMLInputElement))
    return next((button for button in buttons if button.is_submit_button and not is_disabled(button)), None)


def cannot_be_submitted_by_an_agent(form: HTMLFormElement, button: HTMLElement | None, autosubmit: bool) -> bool:
    """Return whether a form cannot be submitted by an agent: it has no button and needs one, or a sandbox forbids it."""
    return (button is None and not autosubmit) or is_sandboxed_without(node_document(form), "allow-forms")


def focusing_steps(element: HTMLElement | None) -> None:
    """Run the focusing steps for an element (HTML)."""
    assert element is not None
    node_document(element).event_loop.note_effect()
    run_the_focusing_steps(element)


def submit(form: HTMLFormElement, submitter: HTMLElement | None) -> bool:
    """Submit a form from a submitter or, without one, from itself; return whether it goes on to the navigation (HTML)."""
    node_document(form).event_loop.note_effect()
    return run_the_form_submission_algorithm(form, submitter)


def is_agent_invoked(event: SubmitEvent) -> bool:
    """Return the agentInvoked attribute of an event."""
    return event.attributes["agentInvoked"] is True
