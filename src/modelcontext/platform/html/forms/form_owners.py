"""Forms, and the elements whose form owner they can be (https://html.spec.whatwg.org/#form-control-infrastructure)."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, cast

from modelcontext.platform.dom.nodes import in_tree_order
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.elements import HTMLElement

if TYPE_CHECKING:
    from modelcontext.platform.dom.nodes import DocumentNode, Node, TreeScope
    from modelcontext.platform.html.forms.control_facts import ControlFacts
    from modelcontext.platform.html.forms.radio_groups import RadioGroup

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

    @property
    def facts(self) -> ControlFacts | None:
        """The facts on which its value and its constraints rest; None if it has no constraints."""
        return None

    def reset_algorithm(self) -> None:
        """https://html.spec.whatwg.org/#concept-form-reset-control"""

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
