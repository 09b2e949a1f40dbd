"""Disabled form controls (https://html.spec.whatwg.org/#enabling-and-disabling-form-controls:-the-disabled-attribute)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from modelcontext.platform.html.elements import HTMLElement
from modelcontext.platform.html.forms.form_owners import FormAssociatedCustomElement, FormAssociatedElement

if TYPE_CHECKING:
    from modelcontext.platform.dom.nodes import Node


class HTMLLegendElement(HTMLElement):
    """A legend (https://html.spec.whatwg.org/#the-legend-element)."""

    __slots__ = ()

    interface: ClassVar[str] = "HTMLLegendElement"


class HTMLFieldSetElement(FormAssociatedElement):
    """A fieldset (https://html.spec.whatwg.org/#the-fieldset-element)."""

    __slots__ = ()

    interface: ClassVar[str] = "HTMLFieldSetElement"
    is_listed: ClassVar[bool] = True

    @property
    def is_disabled(self) -> bool:
        """https://html.spec.whatwg.org/#concept-fieldset-disabled"""
        return is_disabled(self)


class FormControl(FormAssociatedElement):
    """A form control that can be disabled: a button, an input, a select or a textarea."""

    __slots__ = ()

    @property
    def is_disabled(self) -> bool:
        """https://html.spec.whatwg.org/#concept-fe-disabled"""
        return is_disabled(self)


def is_disabled(element: FormAssociatedElement) -> bool:
    """https://html.spec.whatwg.org/#concept-fe-disabled"""
    if not isinstance(element, FormControl | HTMLFieldSetElement | FormAssociatedCustomElement):
        return False
    return element.has_attribute("disabled") or is_in_a_disabled_fieldset(element)


def is_in_a_disabled_fieldset(element: HTMLElement) -> bool:
    """Return whether a fieldset with a ``disabled`` attribute holds an element outside of its first legend."""
    branch: Node = element
    for ancestor in element.ancestors:
        is_disabled_itself = isinstance(ancestor, HTMLFieldSetElement) and ancestor.has_attribute("disabled")
        if is_disabled_itself and not _is_the_first_legend(branch):
            return True
        branch = ancestor
    return False


def _is_the_first_legend(child: Node) -> bool:
    if not isinstance(child, HTMLLegendElement):
        return False
    sibling = child.previous_sibling
    while sibling is not None and not isinstance(sibling, HTMLLegendElement):
        sibling = sibling.previous_sibling
    return sibling is None
