"""Focus, as far as form controls need it (https://html.spec.whatwg.org/#focus)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from modelcontext.platform.dom.dispatching import fire_an_event
from modelcontext.platform.dom.elements import Element
from modelcontext.platform.dom.events import Event
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.forms.disabledness import FormControl
from modelcontext.platform.html.forms.input_types import InputType, input_type

if TYPE_CHECKING:
    from modelcontext.platform.html.elements import HTMLElement

_INTEGER: Final = re.compile("[\t\n\f\r ]*[+-]?[0-9]")


def is_focusable_area(element: HTMLElement) -> bool:
    """https://html.spec.whatwg.org/#focusable-area

    Only form controls and elements with a ``tabindex`` are focusable here.
    """
    focusable = _INTEGER.match(element.get_attribute("tabindex") or "") is not None or isinstance(element, FormControl)
    if not focusable or element.is_disabled or not element.is_connected:
        return False
    is_hidden = element.local_name == "input" and input_type(element.get_attribute("type")) is InputType.HIDDEN
    return not is_hidden and is_being_rendered(element)


def is_being_rendered(element: HTMLElement) -> bool:
    """https://html.spec.whatwg.org/#being-rendered (nothing is laid out here: only ``hidden`` and ``inert`` count)"""
    return not any(
        isinstance(node, Element) and (node.has_attribute("hidden") or node.has_attribute("inert"))
        for node in (element, *element.ancestors)
    )


def focusing_steps(element: HTMLElement) -> None:
    """https://html.spec.whatwg.org/#focusing-steps"""
    document = element.node_document
    if isinstance(document, Document) and is_focusable_area(element) and document.focused_area is not element:
        focus_update_steps(document, element)


def focus_if_possible(element: HTMLElement) -> bool:
    """Run the focusing steps for an element, and return whether it is focusable."""
    focusing_steps(element)
    return is_focusable_area(element)


def focus_update_steps(document: Document, new_focus_target: HTMLElement | None) -> None:
    """https://html.spec.whatwg.org/#focus-update-steps (within one document; None stands for the viewport)"""
    old_focus_target = document.focused_area
    document.focused_area = None
    if old_focus_target is not None:
        _fire_focus_events("blur", "focusout", old_focus_target)
    if new_focus_target is not None and new_focus_target.node_document is document:
        document.focused_area = new_focus_target
        _fire_focus_events("focus", "focusin", new_focus_target)


def _fire_focus_events(name: str, bubbling: str, target: Element) -> None:
    """Fire an event of HTML and then that of UI Events (https://w3c.github.io/uievents/#events-focusevent)."""
    for type, bubbles in ((name, False), (bubbling, True)):
        event = Event(target.node_document.realm, type, "FocusEvent", bubbles=bubbles, composed=True)
        fire_an_event(event, target)
