"""The verbs of algorithms about elements and forms, each in the words of its standard (named in parentheses).

A tree belongs to one event loop, so none of them touches what steps in parallel share. As in
:mod:`modelcontext.spec.verbs.verbs`, a verb calls the function of the same name of the current host, or does its work here
if it means the same in every host.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Protocol

from modelcontext.platform.ecmascript.json import number_to_string as number_to_string
from modelcontext.platform.html.forms import input_numbers
from modelcontext.platform.html.forms.colors import is_a_valid_simple_color as is_a_valid_simple_color
from modelcontext.platform.html.forms.numbers import best_representation_as_a_floating_point_number
from modelcontext.platform.html.forms.numbers import (
    is_a_valid_floating_point_number as is_a_valid_floating_point_number,
)
from modelcontext.platform.html.forms.numbers import (
    rules_for_parsing_floating_point_number_values as rules_for_parsing_floating_point_number_values,
)
from modelcontext.platform.html.forms.patterns import compiled_pattern_regular_expression
from modelcontext.platform.infra.strings import (
    strip_leading_and_trailing_ascii_whitespace as strip_leading_and_trailing_ascii_whitespace,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from modelcontext.platform.dom.elements import Element
    from modelcontext.platform.dom.nodes import TreeScope
    from modelcontext.platform.ecmascript.values import JSValue
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.elements import HTMLElement
    from modelcontext.platform.html.forms.control_facts import InputFacts
    from modelcontext.platform.html.forms.disabledness import HTMLFieldSetElement
    from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
    from modelcontext.platform.html.forms.labels import HTMLLabelElement
    from modelcontext.platform.html.forms.select import HTMLOptionElement
    from modelcontext.platform.html.forms.submission import SubmitEvent


class FormHost(Protocol):
    """The part of a host that has elements; the verb of the same name documents each function."""

    def is_connected(self, element: Element, /) -> bool: ...
    def is_scripting_disabled(self, element: Element, /) -> bool: ...
    def node_document(self, element: Element, /) -> Document: ...
    def is_element(self, element: Element, local_name: str, /) -> bool: ...
    def has_attribute(self, element: Element, name: str, /) -> bool: ...
    def attribute_value(self, element: Element, name: str, /) -> str: ...
    def attribute_applies(self, element: FormAssociatedElement, attribute: str, /) -> bool: ...
    def forms_without_an_update(self, root: TreeScope, /) -> list[HTMLFormElement]: ...
    def listed_elements(self, form: HTMLFormElement, /) -> list[FormAssociatedElement]: ...
    def type_state(self, element: FormAssociatedElement, /) -> str: ...
    def is_disabled(self, element: FormAssociatedElement, /) -> bool: ...
    def list_of_options(self, select: FormAssociatedElement, /) -> list[HTMLOptionElement]: ...
    def input_facts(self, element: FormAssociatedElement, /) -> InputFacts:
        """Return the facts about an input element, on which its numbers rest."""

    def nearest_fieldset(self, elements: Sequence[FormAssociatedElement], /) -> HTMLFieldSetElement | None: ...
    def labels_of(self, element: FormAssociatedElement, /) -> list[HTMLLabelElement]: ...
    def text_without_labelable_elements(self, label: HTMLLabelElement, /) -> str: ...
    def form_owner(self, element: FormAssociatedElement, /) -> HTMLFormElement | None: ...
    def checkedness_of(self, element: FormAssociatedElement, /) -> bool: ...
    def set_checkedness(self, element: FormAssociatedElement, checkedness: bool, /) -> None: ...
    def set_selectedness(self, option: HTMLOptionElement, selectedness: bool, /) -> None: ...
    def select_alone(self, option: HTMLOptionElement, /) -> None: ...
    def value_of(self, element: FormAssociatedElement, /) -> str: ...
    def set_value(self, element: FormAssociatedElement, value: str, /) -> None: ...
    def sanitized_value(self, element: FormAssociatedElement, value: str, /) -> str: ...
    def fire_an_event_at_an_element(
        self, name: str, element: FormAssociatedElement, /, *, bubbles: bool, composed: bool
    ) -> None: ...
    def default_button(self, form: HTMLFormElement, /) -> FormAssociatedElement | None: ...
    def is_sandboxed_without_forms(self, form: HTMLFormElement, /) -> bool:
        """Return whether the sandboxed forms browsing context flag is set for a form's node document (HTML)."""

    def focusing_steps(self, element: HTMLElement, /) -> None: ...
    def submit(self, form: HTMLFormElement, submitter: HTMLElement | None, /) -> object: ...
    def cannot_navigate(self, form: HTMLFormElement, /) -> bool: ...


_forms: FormHost


def use_forms(forms: FormHost) -> None:
    """Make the elements of a host the current ones."""
    global _forms
    _forms = forms


def is_connected(element: Element) -> bool:
    """Return whether an element is connected (DOM)."""
    return _forms.is_connected(element)


def is_scripting_disabled(element: Element) -> bool:
    """Return whether scripting is disabled for an element (HTML)."""
    return _forms.is_scripting_disabled(element)


def node_document(element: Element) -> Document:
    """Return the node document of an element in a document that has a browsing context (DOM)."""
    return _forms.node_document(element)


def is_element(element: Element, local_name: str) -> bool:
    """Return whether an element is an HTML element with a local name."""
    return _forms.is_element(element, local_name)


def has_attribute(element: Element, name: str) -> bool:
    """Return whether an element has an attribute (DOM)."""
    return _forms.has_attribute(element, name)


def attribute_value(element: Element, name: str) -> str:
    """Return the value of an attribute of an element, or the empty string if the element has none (DOM)."""
    return _forms.attribute_value(element, name)


def attribute_applies(element: FormAssociatedElement, attribute: str) -> bool:
    """Return whether an element has an attribute that applies to it (HTML)."""
    return _forms.attribute_applies(element, attribute)


def forms_without_an_update(root: TreeScope) -> list[HTMLFormElement]:
    """Return the form elements below a root that await no update, without those that have never had one.

    Only what happens to such a form itself can make it a tool. A document with many forms is parsed in linear time so.
    """
    return _forms.forms_without_an_update(root)


def listed_elements(form: HTMLFormElement) -> list[FormAssociatedElement]:
    """Return the listed elements whose form owner is a form, in tree order (HTML)."""
    return _forms.listed_elements(form)


def type_state(element: FormAssociatedElement) -> str:
    """Return the keyword of the state of the type attribute of an input element (HTML)."""
    return _forms.type_state(element)


def is_disabled(element: FormAssociatedElement) -> bool:
    """Return whether an element is disabled (HTML)."""
    return _forms.is_disabled(element)


def list_of_options(select: FormAssociatedElement) -> list[HTMLOptionElement]:
    """Return the list of options of a select element (HTML)."""
    return _forms.list_of_options(select)


def minimum(element: FormAssociatedElement) -> Fraction | None:
    """Return the minimum of an input element, or None (HTML)."""
    return input_numbers.minimum(_forms.input_facts(element))


def maximum(element: FormAssociatedElement) -> Fraction | None:
    """Return the maximum of an input element, or None (HTML)."""
    return input_numbers.maximum(_forms.input_facts(element))


def allowed_value_step(element: FormAssociatedElement) -> Fraction | None:
    """Return the allowed value step of an input element, or None (HTML)."""
    return input_numbers.allowed_value_step(_forms.input_facts(element))


def step_base(element: FormAssociatedElement) -> Fraction:
    """Return the step base of an input element (HTML)."""
    return input_numbers.step_base(_forms.input_facts(element))


def infra_number(number: Fraction) -> int | float:
    """Return a number as JSON has it: the nearest one of IEEE 754."""
    value: int | float = json.loads(best_representation_as_a_floating_point_number(number))
    return value


def has_a_compiled_pattern_regular_expression(element: FormAssociatedElement) -> bool:
    """Return whether the pattern attribute of an element is a regular expression (HTML)."""
    return compiled_pattern_regular_expression(attribute_value(element, "pattern")) is not None


def nearest_fieldset(elements: Sequence[FormAssociatedElement]) -> HTMLFieldSetElement | None:
    """Return the nearest fieldset element that is an ancestor of all elements, or None."""
    return _forms.nearest_fieldset(elements)


def labels_of(element: FormAssociatedElement) -> list[HTMLLabelElement]:
    """Return the labels of a labelable element in tree order (HTML)."""
    return _forms.labels_of(element)


def text_without_labelable_elements(label: HTMLLabelElement) -> str:
    """Return the descendant text content of a label without that of the labelable elements among its descendants."""
    return _forms.text_without_labelable_elements(label)


def serialize_an_infra_value_to_a_json_string(value: object) -> str:
    """Serialize an Infra value to a JSON string (Infra)."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def form_owner(element: FormAssociatedElement) -> HTMLFormElement | None:
    """Return the form owner of an element, or None (HTML)."""
    return _forms.form_owner(element)


def choice_value(element: FormAssociatedElement) -> str:
    """Return the value of a checkbox or a radio button: it is in mode default/on (HTML)."""
    return attribute_value(element, "value") if has_attribute(element, "value") else "on"


def checkedness_of(element: FormAssociatedElement) -> bool:
    """Return the checkedness of an input element (HTML)."""
    return _forms.checkedness_of(element)


def set_checkedness(element: FormAssociatedElement, checkedness: bool) -> None:
    """Set the checkedness of an input element, and its dirty checkedness flag to true (HTML)."""
    _forms.set_checkedness(element, checkedness)


def set_selectedness(option: HTMLOptionElement, selectedness: bool) -> None:
    """Set the selectedness of an option element, and its dirtiness to true (HTML)."""
    _forms.set_selectedness(option, selectedness)


def select_alone(option: HTMLOptionElement) -> None:
    """Set the selectedness and the dirtiness of an option to true, and the selectedness of the others to false (HTML)."""
    _forms.select_alone(option)


def value_of(element: FormAssociatedElement) -> str:
    """Return the value of an input element, or the raw value of a textarea element (HTML)."""
    return _forms.value_of(element)


def set_value(element: FormAssociatedElement, value: str) -> None:
    """Set the value of an input or a textarea element, with what HTML does in consequence (HTML)."""
    _forms.set_value(element, value)


def sanitized_value(element: FormAssociatedElement, value: str) -> str:
    """Return what the value sanitization algorithm of an input element makes of a value (HTML)."""
    return _forms.sanitized_value(element, value)


def fire_an_event_at_an_element(
    name: str, element: FormAssociatedElement, *, bubbles: bool, composed: bool = False
) -> None:
    """Fire an event at an element, on its event loop (DOM)."""
    _forms.fire_an_event_at_an_element(name, element, bubbles=bubbles, composed=composed)


def default_button(form: HTMLFormElement) -> FormAssociatedElement | None:
    """Return the first submit button of a form that is not disabled, in tree order, or None (HTML)."""
    return _forms.default_button(form)


def cannot_be_submitted_by_an_agent(form: HTMLFormElement, button: HTMLElement | None, autosubmit: bool) -> bool:
    """Return whether a form cannot be submitted by an agent: it has no button and needs one, or a sandbox forbids it."""
    return (button is None and not autosubmit) or _forms.is_sandboxed_without_forms(form)


def focusing_steps(element: HTMLElement | None) -> None:
    """Run the focusing steps for an element (HTML)."""
    assert element is not None
    _forms.focusing_steps(element)


def submit(form: HTMLFormElement, submitter: HTMLElement | None) -> None:
    """Submit a form from a submitter (HTML)."""
    _forms.submit(form, submitter)


def cannot_navigate(form: HTMLFormElement) -> bool:
    """Return whether a form cannot navigate (HTML)."""
    return _forms.cannot_navigate(form)


def attribute_of_an_event(event: SubmitEvent, name: str) -> JSValue:
    """Return an attribute of an event, which has the value that it was initialized to (DOM)."""
    return event.attributes[name]
