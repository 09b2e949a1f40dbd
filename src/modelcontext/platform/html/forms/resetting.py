"""Resetting a form (https://html.spec.whatwg.org/#resetting-a-form)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from modelcontext.platform.dom.dispatching import fire_an_event
from modelcontext.platform.dom.events import Event
from modelcontext.platform.html.document import Document

if TYPE_CHECKING:
    from modelcontext.platform.html.forms.form_owners import HTMLFormElement


def reset_a_form(form: HTMLFormElement) -> None:
    """https://html.spec.whatwg.org/#concept-form-reset"""
    realm = form.node_document.realm
    if fire_an_event(Event(realm, "reset", bubbles=True, cancelable=True), form):
        if isinstance(form.node_document, Document):
            form.node_document.hooks.reset_steps(form)
        for element in form.listed_elements:
            if element.is_resettable:
                element.reset_algorithm()


def reset(form: HTMLFormElement) -> None:
    """https://html.spec.whatwg.org/#dom-form-reset"""
    if form.locked_for_reset:
        return
    form.locked_for_reset = True
    reset_a_form(form)
    form.locked_for_reset = False
