"""The verbs about elements and forms in the simulated host, where elements are those of :mod:`modelcontext.platform.dom`.

The verb of the same name in :mod:`modelcontext.spec.verbs.form_verbs` documents each method.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from modelcontext.platform.dom.dispatching import fire_an_event
from modelcontext.platform.dom.elements import set_an_attribute_value
from modelcontext.platform.dom.events import Event
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.forms.disabledness import HTMLFieldSetElement, is_disabled
from modelcontext.platform.html.forms.focus import focusing_steps
from modelcontext.platform.html.forms.form_controls import (
    HTMLButtonElement,
    HTMLInputElement,
    HTMLTextAreaElement,
    attribute_applies,
)
from modelcontext.platform.html.forms.form_owners import watching_forms
from modelcontext.platform.html.forms.labels import labels_of, text_without_labelable_elements
from modelcontext.platform.html.forms.sanitization import value_sanitization_algorithm
from modelcontext.platform.html.forms.select import HTMLSelectElement
from modelcontext.platform.html.forms.select import select_alone as select_option_alone
from modelcontext.platform.html.forms.submission import cannot_navigate, submit
from modelcontext.platform.html.navigable import is_sandboxed_without

if TYPE_CHECKING:
    from collections.abc import Sequence

    from modelcontext.platform.dom.elements import Element
    from modelcontext.platform.dom.nodes import TreeScope
    from modelcontext.platform.html.elements import HTMLElement
    from modelcontext.platform.html.forms.control_facts import InputFacts
    from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
    from modelcontext.platform.html.forms.select import HTMLOptionElement


class SimulatedForms:
    """The elements of a simulated host, as :class:`modelcontext.spec.verbs.form_verbs.FormHost` has them."""

    def is_connected(self, element: Element) -> bool:
        return element.is_connected

    def is_scripting_disabled(self, element: Element) -> bool:
        document = element.node_document
        return (
            not isinstance(document, Document)
            or document.is_destroyed
            or is_sandboxed_without(document, "allow-scripts")
        )

    def node_document(self, element: Element) -> Document:
        return cast("Document", element.node_document)

    def is_element(self, element: Element, local_name: str) -> bool:
        return element.local_name == local_name

    def has_attribute(self, element: Element, name: str) -> bool:
        return element.has_attribute(name)

    def attribute_value(self, element: Element, name: str) -> str:
        return element.get_attribute(name) or ""

    def forms_without_an_update(self, root: TreeScope) -> list[HTMLFormElement]:
        return watching_forms(root)

    def listed_elements(self, form: HTMLFormElement) -> list[FormAssociatedElement]:
        return form.listed_elements

    def type_state(self, element: FormAssociatedElement) -> str:
        return _input(element).type_state

    def input_facts(self, element: FormAssociatedElement) -> InputFacts:
        return _input(element).facts

    def list_of_options(self, select: FormAssociatedElement) -> list[HTMLOptionElement]:
        assert isinstance(select, HTMLSelectElement)
        return list(select.list_of_options)

    def nearest_fieldset(self, elements: Sequence[FormAssociatedElement]) -> HTMLFieldSetElement | None:
        first, *others = elements
        around = [set(element.ancestors) for element in others]
        fieldsets = (ancestor for ancestor in first.ancestors if isinstance(ancestor, HTMLFieldSetElement))
        return next((fieldset for fieldset in fieldsets if all(fieldset in ancestors for ancestors in around)), None)

    def form_owner(self, element: FormAssociatedElement) -> HTMLFormElement | None:
        return element.form_owner

    def checkedness_of(self, element: FormAssociatedElement) -> bool:
        return _input(element).checkedness

    def set_checkedness(self, element: FormAssociatedElement, checkedness: bool) -> None:
        input_element = _input(element)
        input_element.dirty_checkedness_flag = True
        input_element.set_checkedness(checkedness)

    def set_selectedness(self, option: HTMLOptionElement, selectedness: bool) -> None:
        option.dirtiness = True
        option.set_selectedness(selectedness)

    def select_alone(self, option: HTMLOptionElement) -> None:
        assert option.select is not None
        option.dirtiness = True
        select_option_alone(option.select, option)

    def value_of(self, element: FormAssociatedElement) -> str:
        return element.raw_value if isinstance(element, HTMLTextAreaElement) else _input(element).value

    def set_value(self, element: FormAssociatedElement, value: str) -> None:
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

    def sanitized_value(self, element: FormAssociatedElement, value: str) -> str:
        return value_sanitization_algorithm(replace(_input(element).facts, value=value))

    def fire_an_event_at_an_element(
        self, name: str, element: HTMLElement, *, bubbles: bool, composed: bool = False
    ) -> None:
        fire_an_event(Event(element.node_document.realm, name, bubbles=bubbles, composed=composed), element)

    def default_button(self, form: HTMLFormElement) -> FormAssociatedElement | None:
        buttons = (node for node in form.listed_elements if isinstance(node, HTMLButtonElement | HTMLInputElement))
        return next((button for button in buttons if button.is_submit_button and not is_disabled(button)), None)

    def is_sandboxed_without_forms(self, form: HTMLFormElement) -> bool:
        return is_sandboxed_without(self.node_document(form), "allow-forms")

    def focusing_steps(self, element: HTMLElement) -> None:
        self.node_document(element).event_loop.note_effect()
        focusing_steps(element)

    def submit(self, form: HTMLFormElement, submitter: HTMLElement | None) -> None:
        self.node_document(form).event_loop.note_effect()
        submit(form, submitter)

    attribute_applies = staticmethod(attribute_applies)
    is_disabled = staticmethod(is_disabled)
    labels_of = staticmethod(labels_of)
    text_without_labelable_elements = staticmethod(text_without_labelable_elements)
    cannot_navigate = staticmethod(cannot_navigate)


def _input(element: FormAssociatedElement) -> HTMLInputElement:
    assert isinstance(element, HTMLInputElement)
    return element
