"""The validity of an element of a form (https://html.spec.whatwg.org/#constraint-validation)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.platform.html.forms.constraint_validation import (
    is_barred_from_constraint_validation,
    satisfies_its_constraints,
)
from modelcontext.platform.html.forms.form_owners import FormAssociatedCustomElement
from modelcontext.platform.html.forms.select import HTMLDataListElement

if TYPE_CHECKING:
    from modelcontext.platform.html.forms.form_owners import FormAssociatedElement


def is_barred_or_satisfies_its_constraints(element: FormAssociatedElement) -> bool:
    """Return whether an element is barred from constraint validation or satisfies its constraints.

    Buttons and descendants of datalist elements are barred (https://html.spec.whatwg.org/#barred-from-constraint-validation).
    """
    if isinstance(element, FormAssociatedCustomElement):
        return element.custom_validity_error_message == ""
    facts = element.facts
    if facts is None or element.nearest_ancestor(HTMLDataListElement) is not None:
        return True
    return is_barred_from_constraint_validation(facts) or satisfies_its_constraints(facts)
