"""The facts about an element of a tree, on which its value and its constraints rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.html.constraint_validation import (
    is_barred_from_constraint_validation,
    satisfies_its_constraints,
)
from modelcontext.html.controls import ControlFacts, InputFacts, SelectFacts
from modelcontext.html.disabledness import is_disabled
from modelcontext.html.form_controls import HTMLInputElement, HTMLTextAreaElement
from modelcontext.html.input_types import applies, input_type
from modelcontext.html.select import HTMLDataListElement, HTMLSelectElement

if TYPE_CHECKING:
    from modelcontext.html.forms import FormAssociatedElement


def facts_of(element: FormAssociatedElement) -> ControlFacts:
    """Return the facts about an input, a select or a textarea element."""
    if isinstance(element, HTMLInputElement):
        return input_facts_of(element)
    disabled, message = is_disabled(element), element.custom_validity_error_message
    if isinstance(element, HTMLSelectElement):
        return SelectFacts(
            attributes=element.attributes,
            disabled=disabled,
            custom_validity_error_message=message,
            has_selection=_has_selection(element),
        )
    value = element.raw_value if isinstance(element, HTMLTextAreaElement) else ""
    return ControlFacts(
        value=value.replace("\r\n", "\n").replace("\r", "\n"),
        attributes=element.attributes,
        disabled=disabled,
        custom_validity_error_message=message,
    )


def input_facts_of(element: HTMLInputElement) -> InputFacts:
    """Return the facts about an input element."""
    group = [element, *element.others_of_the_radio_button_group]
    return InputFacts(
        type=input_type(element.get_attribute("type")),
        value=element.value,
        attributes=element.attributes,
        disabled=is_disabled(element),
        custom_validity_error_message=element.custom_validity_error_message,
        checkedness=element.checkedness,
        group_required=any(member.has_attribute("required") for member in group),
        group_checked=any(member.checkedness for member in group),
    )


def attribute_applies(element: FormAssociatedElement, attribute: str) -> bool:
    """Return whether an element has an attribute that applies to it (https://html.spec.whatwg.org/#concept-input-apply)."""
    if isinstance(element, HTMLInputElement):
        return element.has_attribute(attribute) and applies(attribute, input_type(element.get_attribute("type")))
    return element.has_attribute(attribute)


def _has_selection(select: HTMLSelectElement) -> bool:
    """Return whether an option is selected, other than the placeholder label option."""
    # https://html.spec.whatwg.org/#placeholder-label-option
    first = next(iter(select.list_of_options), None)
    may_have_placeholder = not select.has_attribute("multiple") and select.display_size == 1
    is_placeholder = first is not None and may_have_placeholder and first.value == "" and first.parent is select
    return any(option is not first or not is_placeholder for option in select.selected)


def is_barred_or_satisfies_its_constraints(element: FormAssociatedElement) -> bool:
    """Return whether an element is barred from constraint validation or satisfies its constraints.

    Buttons and descendants of datalist elements are barred (https://html.spec.whatwg.org/#barred-from-constraint-validation).
    """
    if not isinstance(element, HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement):
        return True
    if element.nearest_ancestor(HTMLDataListElement) is not None:
        return True
    facts = facts_of(element)
    return is_barred_from_constraint_validation(facts) or satisfies_its_constraints(facts)
