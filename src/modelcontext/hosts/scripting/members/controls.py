"""Form controls and their constraints for scripts (https://html.spec.whatwg.org/#forms)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.hosts.scripting.members.member_tables import GETTERS, OPERATIONS, SETTERS, getter, operation, setter
from modelcontext.hosts.scripting.members.nodes import set_text_content
from modelcontext.platform.dom import dispatching
from modelcontext.platform.dom.events import Event
from modelcontext.platform.html.forms.constraint_validation import (
    VALIDITY_STATES,
    is_barred_from_constraint_validation,
    validity_states,
)
from modelcontext.platform.html.forms.focus import focus_if_possible
from modelcontext.platform.html.forms.labels import labels_of
from modelcontext.platform.html.forms.select import select_alone
from modelcontext.platform.html.forms.submission import interactively_validate_the_constraints
from modelcontext.platform.html.forms.validity import is_barred_or_satisfies_its_constraints

if TYPE_CHECKING:
    from modelcontext.hosts.scripting.parts import Parts
    from modelcontext.platform.html.forms.control_facts import ControlFacts
    from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
    from modelcontext.platform.html.forms.select import HTMLOptionElement, HTMLSelectElement


def _facts(element: FormAssociatedElement) -> ControlFacts:
    assert element.facts is not None
    return element.facts


def _will_validate(parts: Parts, element: FormAssociatedElement) -> bool:
    return not is_barred_from_constraint_validation(_facts(element))


def _validity(parts: Parts, element: FormAssociatedElement) -> dict[str, bool]:
    states = validity_states(_facts(element))
    return {**{name: name in states for name in VALIDITY_STATES}, "valid": not states}


def _check(parts: Parts, element: FormAssociatedElement) -> bool:
    """https://html.spec.whatwg.org/#check-validity-steps"""
    if is_barred_or_satisfies_its_constraints(element):
        return True
    dispatching.fire_an_event(Event(element.realm, "invalid", cancelable=True), element)
    return False


def _report(parts: Parts, element: FormAssociatedElement) -> bool:
    """https://html.spec.whatwg.org/#report-validity-steps"""
    if is_barred_or_satisfies_its_constraints(element):
        return True
    if dispatching.fire_an_event(Event(element.realm, "invalid", cancelable=True), element):
        focus_if_possible(element)
    return False


def _set_custom_validity(parts: Parts, element: FormAssociatedElement, error: str) -> None:
    element.custom_validity_error_message = error


for _name in ("Input", "TextArea", "Select"):
    GETTERS[f"HTML{_name}Element.willValidate"] = _will_validate
    GETTERS[f"HTML{_name}Element.validity"] = _validity
    GETTERS[f"HTML{_name}Element.labels"] = lambda parts, element: labels_of(element) if element.is_labelable else None
    GETTERS[f"HTML{_name}Element.validationMessage"] = lambda parts, element: element.custom_validity_error_message
    OPERATIONS[f"HTML{_name}Element.checkValidity"] = _check
    OPERATIONS[f"HTML{_name}Element.reportValidity"] = _report
    OPERATIONS[f"HTML{_name}Element.setCustomValidity"] = _set_custom_validity


# Of form-associated custom elements, for their ElementInternals
GETTERS["HTMLElement.formOwner"] = lambda parts, element: getattr(element, "form_owner", None)
OPERATIONS["HTMLElement.checkValidity"] = _check
OPERATIONS["HTMLElement.setCustomValidity"] = _set_custom_validity


@operation("HTMLFormElement.checkValidity")
def form_check_validity(parts: Parts, form: HTMLFormElement) -> bool:
    """https://html.spec.whatwg.org/#dom-form-checkvalidity"""
    # Each control that is not valid hears of it.
    return False not in [_check(parts, element) for element in form.listed_elements if element.is_submittable]


@operation("HTMLFormElement.reportValidity")
def form_report_validity(parts: Parts, form: HTMLFormElement) -> bool:
    """https://html.spec.whatwg.org/#dom-form-reportvalidity"""
    return interactively_validate_the_constraints(form)


# Outputs and selects

GETTERS["HTMLOutputElement.form"] = lambda parts, output: output.form_owner
GETTERS["HTMLOutputElement.value"] = lambda parts, output: output.value
SETTERS["HTMLOutputElement.value"] = lambda parts, output, value: output.set_value(value)
GETTERS["HTMLOutputElement.defaultValue"] = lambda parts, output: output.default_value


def _selected(select: HTMLSelectElement) -> list[HTMLOptionElement]:
    return [option for option in select.list_of_options if option.selectedness]


GETTERS["HTMLSelectElement.options"] = lambda parts, select: list(select.list_of_options)


@getter("HTMLSelectElement.selectedIndex")
def selected_index(parts: Parts, select: HTMLSelectElement) -> int:
    """https://html.spec.whatwg.org/#dom-select-selectedindex"""
    return next((place for place, one in enumerate(select.list_of_options) if one.selectedness), -1)


def _select(select: HTMLSelectElement, chosen: HTMLOptionElement | None) -> None:
    if chosen is not None:
        chosen.dirtiness = True
        select_alone(select, chosen)
        return
    for option in _selected(select):
        option.set_selectedness(False)


@setter("HTMLSelectElement.selectedIndex")
def set_selected_index(parts: Parts, select: HTMLSelectElement, index: int) -> None:
    """https://html.spec.whatwg.org/#dom-select-selectedindex"""
    options = list(select.list_of_options)
    _select(select, options[index] if 0 <= index < len(options) else None)


GETTERS["HTMLOptionElement.selected"] = lambda parts, option: option.selectedness
GETTERS["HTMLOptionElement.value"] = lambda parts, option: option.value
GETTERS["HTMLOptionElement.text"] = lambda parts, option: option.text
GETTERS["HTMLOptionElement.label"] = lambda parts, option: option.label


@setter("HTMLOptionElement.selected")
def set_selected(parts: Parts, option: HTMLOptionElement, value: bool) -> None:
    """https://html.spec.whatwg.org/#dom-option-selected"""
    option.dirtiness = True
    option.set_selectedness(value)


SETTERS["HTMLOptionElement.text"] = set_text_content
