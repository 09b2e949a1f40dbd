"""Form submission (https://html.spec.whatwg.org/#form-submission-2), up to the entry list and the navigation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from modelcontext.platform.dom.dispatching import fire_an_event
from modelcontext.platform.dom.events import Event
from modelcontext.platform.ecmascript.values import Throw, type_error
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.forms.focus import focus_if_possible
from modelcontext.platform.html.forms.form_owners import FormAssociatedElement
from modelcontext.platform.html.forms.validity import is_barred_or_satisfies_its_constraints
from modelcontext.platform.html.navigable import is_sandboxed_without
from modelcontext.platform.webidl.dom_exception import DOMException

if TYPE_CHECKING:
    from modelcontext.platform.ecmascript.promise import PromiseObject
    from modelcontext.platform.ecmascript.values import JSValue
    from modelcontext.platform.html.elements import HTMLElement
    from modelcontext.platform.html.forms.form_owners import HTMLFormElement


def cannot_navigate(element: HTMLElement) -> bool:
    """https://html.spec.whatwg.org/#cannot-navigate"""
    document = element.node_document
    return not isinstance(document, Document) or not document.is_fully_active or not element.is_connected


@dataclass(eq=False, repr=False, slots=True)
class SubmitEvent(Event):
    """A ``submit`` event (https://html.spec.whatwg.org/#submitevent).

    ``response`` is the promise that another specification lets a listener give.
    """

    interface: ClassVar[str] = "SubmitEvent"

    response: PromiseObject | None = field(default=None, init=False)


def submit(form: HTMLFormElement, submitter: HTMLElement | None = None) -> bool:
    """https://html.spec.whatwg.org/#form-submission-algorithm (up to the submit event)

    Returns:
        Whether the submission goes on to the entry list and the navigation, which are the user agent's.
    """
    document = form.node_document
    if cannot_navigate(form) or form.constructing_entry_list or form.firing_submission_events:
        return False
    assert isinstance(document, Document)
    if is_sandboxed_without(document, "allow-forms"):
        return False
    form.firing_submission_events = True
    is_novalidate = form.has_attribute("novalidate") or (
        submitter is not None and submitter.has_attribute("formnovalidate")
    )
    if not is_novalidate and not interactively_validate_the_constraints(form):
        document.hooks.invalid_submission_steps(form)
        form.firing_submission_events = False
        return False
    attributes: dict[str, JSValue] = {
        "submitter": submitter,
        "agentInvoked": document.hooks.begin_a_submission(form),
    }
    event = SubmitEvent(document.realm, "submit", "SubmitEvent", attributes, bubbles=True, cancelable=True)
    should_continue = fire_an_event(event, form)
    form.firing_submission_events = False
    document.hooks.submit_event_steps(form, event)
    goes_on = should_continue and not cannot_navigate(form)
    if goes_on:
        document.event_loop.user_agent.submit(form, submitter)
    return goes_on


def request_submit(form: HTMLFormElement, submitter: HTMLElement | None = None) -> bool:
    """https://html.spec.whatwg.org/#dom-form-requestsubmit (the result is that of :func:`submit`)

    Raises:
        Throw: a TypeError if the submitter is no submit button, a NotFoundError if it is one of another form.
    """
    if submitter is not None:
        if not isinstance(submitter, FormAssociatedElement) or not submitter.is_submit_button:
            raise type_error("the submitter is not a submit button", form.realm)
        if submitter.form_owner is not form:
            raise Throw(DOMException("NotFoundError", "the submitter is a button of another form", form.realm))
    return submit(form, submitter)


def submit_method(form: HTMLFormElement) -> bool:
    """https://html.spec.whatwg.org/#dom-form-submit (the result is that of :func:`submit`)"""
    document = form.node_document
    if cannot_navigate(form) or form.constructing_entry_list:
        return False
    assert isinstance(document, Document)
    if is_sandboxed_without(document, "allow-forms"):
        return False
    document.hooks.submit_method_steps(form)
    document.event_loop.user_agent.submit(form, None)
    return True


def interactively_validate_the_constraints(form: HTMLFormElement) -> bool:
    """https://html.spec.whatwg.org/#interactively-validate-the-constraints"""
    unhandled = []
    is_valid = True
    for element in form.listed_elements:
        if element.is_submittable and not is_barred_or_satisfies_its_constraints(element):
            is_valid = False
            if fire_an_event(Event(form.node_document.realm, "invalid", cancelable=True), element):
                unhandled.append(element)
    for element in unhandled:
        if focus_if_possible(element):
            break
    return is_valid
