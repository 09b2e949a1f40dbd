"""Forms and the elements associated with them (https://html.spec.whatwg.org/#form-control-infrastructure)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final, cast

from modelcontext.dom.dispatching import fire_an_event
from modelcontext.dom.events import Event
from modelcontext.dom.nodes import in_tree_order
from modelcontext.ecmascript.values import Throw, type_error
from modelcontext.html.document import Document
from modelcontext.html.elements import HTMLElement
from modelcontext.html.navigable import is_sandboxed_without
from modelcontext.webidl.dom_exception import DOMException

if TYPE_CHECKING:
    from modelcontext.dom.nodes import DocumentNode, Node, TreeScope
    from modelcontext.ecmascript.promise import Promise
    from modelcontext.ecmascript.values import JSValue
    from modelcontext.html.radio_groups import RadioGroup

_FORMS: Final = "forms that watch the tree"


class HTMLFormElement(HTMLElement):
    """A form (https://html.spec.whatwg.org/#the-form-element).

    ``associated`` are the elements whose form owner it is, in the order in which they came to it. ``extensions`` holds the
    objects that other specifications associate with the form.
    """

    __slots__ = (
        "_scope",
        "_watches",
        "associated",
        "constructing_entry_list",
        "extensions",
        "firing_submission_events",
        "locked_for_reset",
        "radio_groups",
    )

    interface: ClassVar[str] = "HTMLFormElement"

    def __init__(self, node_document: DocumentNode, local_name: str) -> None:
        super().__init__(node_document, local_name)
        self.associated: dict[FormAssociatedElement, None] = {}
        self.extensions: dict[str, object] = {}
        self._scope: TreeScope | None = None
        self._watches = False
        self.constructing_entry_list = False
        self.firing_submission_events = False
        self.locked_for_reset = False
        self.radio_groups: dict[str, RadioGroup] = {}

    @property
    def listed_elements(self) -> list[FormAssociatedElement]:
        """The listed elements whose form owner it is, in tree order (https://html.spec.whatwg.org/#category-listed)."""
        return in_tree_order((element for element in self.associated if element.is_listed), self.root)

    @property
    def elements(self) -> list[FormAssociatedElement]:
        """https://html.spec.whatwg.org/#dom-form-elements (all listed elements but image buttons)"""
        return [element for element in self.listed_elements if not element.is_image_button]

    def removing_steps(self, is_subtree_root: bool, old_ancestor: Node) -> None:
        """https://html.spec.whatwg.org/#html-element-removing-steps"""
        super().removing_steps(is_subtree_root, old_ancestor)
        self._let_go()
        self._has_come_or_gone()

    def moving_steps(self, is_subtree_root: bool, old_ancestor: Node) -> None:
        """https://html.spec.whatwg.org/#html-element-moving-steps"""
        self._let_go()
        self._has_come_or_gone()

    def insertion_steps(self) -> None:
        """https://html.spec.whatwg.org/#html-element-insertion-steps"""
        super().insertion_steps()
        self._has_come_or_gone()

    def attribute_change_steps(self, local_name: str, old_value: str | None, value: str | None) -> None:
        """https://html.spec.whatwg.org/#concept-element-attributes-change-ext"""
        super().attribute_change_steps(local_name, old_value, value)
        self._run_the_form_change_steps()

    def watch_the_tree(self, watches: bool) -> None:
        """Let the tree change steps have the form from now on, or no longer."""
        self._watches = watches
        self._enlist()

    def _has_come_or_gone(self) -> None:
        self._enlist()
        self._run_the_form_change_steps()

    def _run_the_form_change_steps(self) -> None:
        if isinstance(self.node_document, Document):
            self.node_document.hooks.form_change_steps(self)

    def _enlist(self) -> None:
        scope = self.tree_scope if self._watches else None
        if self._scope is not None:
            del _watching_forms(self._scope)[self]
        self._scope = scope
        if scope is not None:
            _watching_forms(scope)[self] = None

    def _let_go(self) -> None:
        # HTML resets the form owner of what leaves the form. What the parser or an ID has associated from outside stays
        # behind when the form leaves, and needs the same.
        for element in list(self.associated):
            _reset_if_in_another_tree(element)


def watching_forms(root: TreeScope) -> list[HTMLFormElement]:
    """Return the forms of a tree that watch it, in the order in which they began to."""
    return list(_watching_forms(root))


def _watching_forms(scope: TreeScope) -> dict[HTMLFormElement, None]:
    return cast("dict[HTMLFormElement, None]", scope.extensions.setdefault(_FORMS, {}))


class FormAssociatedElement(HTMLElement):
    """An element that can have a form owner (https://html.spec.whatwg.org/#form-associated-element)."""

    __slots__ = ("_observed", "custom_validity_error_message", "form_owner", "parser_inserted_flag")

    def __init__(self, node_document: DocumentNode, local_name: str) -> None:
        super().__init__(node_document, local_name)
        self.form_owner: HTMLFormElement | None = None
        self.parser_inserted_flag = False
        self.custom_validity_error_message = ""
        self._observed: tuple[TreeScope, str] | None = None

    @property
    def is_image_button(self) -> bool:
        """True of an input whose type is Image Button (https://html.spec.whatwg.org/#image-button-state-(type=image))."""
        return False

    @property
    def is_submit_button(self) -> bool:
        """https://html.spec.whatwg.org/#concept-submit-button"""
        return False

    def reset_algorithm(self) -> None:
        """https://html.spec.whatwg.org/#concept-form-reset-control"""

    def satisfies_its_constraints(self) -> bool:
        """Return whether it is barred from constraint validation or satisfies its constraints."""
        return True

    def focus_if_possible(self) -> bool:
        """Run the focusing steps, and return whether it is focusable."""
        return False

    def form_owner_changed(self) -> None:
        """Do what follows a change of the form owner."""

    def insertion_steps(self) -> None:
        """https://html.spec.whatwg.org/#html-element-insertion-steps"""
        super().insertion_steps()
        self._observe()
        if not self.parser_inserted_flag:
            reset_the_form_owner(self)

    def removing_steps(self, is_subtree_root: bool, old_ancestor: Node) -> None:
        """https://html.spec.whatwg.org/#html-element-removing-steps"""
        super().removing_steps(is_subtree_root, old_ancestor)
        self._observe()
        _reset_if_in_another_tree(self)

    def moving_steps(self, is_subtree_root: bool, old_ancestor: Node) -> None:
        """https://html.spec.whatwg.org/#html-element-moving-steps"""
        super().moving_steps(is_subtree_root, old_ancestor)
        self._observe()
        _reset_if_in_another_tree(self)

    def attribute_change_steps(self, local_name: str, old_value: str | None, value: str | None) -> None:
        """https://html.spec.whatwg.org/#reset-the-form-owner (its last condition: the form attribute changes)"""
        super().attribute_change_steps(local_name, old_value, value)
        if local_name == "form" and self.is_listed:
            self._observe()
            reset_the_form_owner(self)

    def id_target_steps(self) -> None:
        """https://html.spec.whatwg.org/#reset-the-form-owner (the ID that the form attribute names has come or gone)"""
        reset_the_form_owner(self)

    def _observe(self) -> None:
        if self._observed is not None:
            scope, id_ = self._observed
            scope.stop_observing_id(id_, self)
            self._observed = None
        id_attribute = self.get_attribute("form")
        if self.is_listed and id_attribute and self.tree_scope is not None:
            self._observed = self.tree_scope, id_attribute
            self.tree_scope.observe_id(id_attribute, self)


class FormAssociatedCustomElement(FormAssociatedElement):
    """A form-associated custom element (https://html.spec.whatwg.org/#form-associated-custom-element): its categories only."""

    __slots__ = ()

    is_listed: ClassVar[bool] = True
    is_submittable: ClassVar[bool] = True
    is_resettable: ClassVar[bool] = True

    @property
    def is_labelable(self) -> bool:
        """https://html.spec.whatwg.org/#category-label"""
        return True


def associate(element: FormAssociatedElement, form: HTMLFormElement | None) -> None:
    """https://html.spec.whatwg.org/#concept-form-association"""
    old_form = element.form_owner
    if old_form is form:
        return
    if old_form is not None:
        del old_form.associated[element]
    element.form_owner = form
    if form is not None:
        form.associated[element] = None
    element.form_owner_changed()


def reset_the_form_owner(element: FormAssociatedElement) -> None:
    """https://html.spec.whatwg.org/#reset-the-form-owner"""
    element.parser_inserted_flag = False
    nearest = element.nearest_ancestor(HTMLFormElement)
    form_attribute = element.get_attribute("form") if element.is_listed else None
    if form_attribute is None:
        associate(element, nearest)
    elif element.is_connected:
        scope = element.tree_scope
        target = scope.get_element_by_id(form_attribute) if scope is not None else None
        associate(element, target if isinstance(target, HTMLFormElement) else None)
    else:
        associate(element, nearest)


def _reset_if_in_another_tree(element: FormAssociatedElement) -> None:
    if element.form_owner is not None and element.root is not element.form_owner.root:
        reset_the_form_owner(element)


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

    response: Promise | None = field(default=None, init=False)


def submit(form: HTMLFormElement, submitter: HTMLElement | None = None) -> bool:
    """https://html.spec.whatwg.org/#form-submission-algorithm (up to the submit event)

    Returns:
        Whether the submission goes on to the entry list and the navigation.
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
    return should_continue and not cannot_navigate(form)


def request_submit(form: HTMLFormElement, submitter: HTMLElement | None = None) -> bool:
    """https://html.spec.whatwg.org/#dom-form-requestsubmit (the result is that of :func:`submit`)

    Raises:
        Throw: a TypeError if the submitter is no submit button, a NotFoundError if it is one of another form.
    """
    if submitter is not None:
        if not isinstance(submitter, FormAssociatedElement) or not submitter.is_submit_button:
            raise type_error("the submitter is no submit button", form.realm)
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
    return True


def interactively_validate_the_constraints(form: HTMLFormElement) -> bool:
    """https://html.spec.whatwg.org/#interactively-validate-the-constraints"""
    unhandled = []
    is_valid = True
    for element in form.listed_elements:
        if element.is_submittable and not element.satisfies_its_constraints():
            is_valid = False
            if fire_an_event(Event(form.node_document.realm, "invalid", cancelable=True), element):
                unhandled.append(element)
    for element in unhandled:
        if element.focus_if_possible():
            break
    return is_valid
