"""The form controls besides select (https://html.spec.whatwg.org/#forms): their categories, state, reset and activation."""

from __future__ import annotations

from typing import ClassVar, Final, cast

from modelcontext.platform.dom.dispatching import fire_an_event
from modelcontext.platform.dom.elements import set_an_attribute_value
from modelcontext.platform.dom.events import Event
from modelcontext.platform.dom.mutations import replace_all
from modelcontext.platform.dom.nodes import DocumentNode, Node, Text
from modelcontext.platform.html.document import Document
from modelcontext.platform.html.forms.control_facts import ControlFacts, InputFacts
from modelcontext.platform.html.forms.disabledness import FormControl
from modelcontext.platform.html.forms.form_owners import FormAssociatedElement
from modelcontext.platform.html.forms.input_types import (
    InputType,
    ValueMode,
    applies,
    applies_to_an_element,
    input_type,
    value_mode,
)
from modelcontext.platform.html.forms.radio_groups import RadioGroup, change_the_group, note_checkedness
from modelcontext.platform.html.forms.resetting import reset
from modelcontext.platform.html.forms.sanitization import value_sanitization_algorithm
from modelcontext.platform.html.forms.submission import submit

#: What sanitization rests on: a change of one of them sanitizes the value.
_SANITIZING_ATTRIBUTES: Final = frozenset({"min", "max", "step", "multiple"})
_RADIO_GROUPS: Final = "radio button groups"
_OF_THE_ATTRIBUTE: Final = (ValueMode.DEFAULT, ValueMode.DEFAULT_ON)


class HTMLObjectElement(FormAssociatedElement):
    """An object (https://html.spec.whatwg.org/#the-object-element)."""

    __slots__ = ()

    interface: ClassVar[str] = "HTMLObjectElement"
    is_listed: ClassVar[bool] = True


class HTMLButtonElement(FormControl):
    """A button (https://html.spec.whatwg.org/#the-button-element)."""

    __slots__ = ()

    interface: ClassVar[str] = "HTMLButtonElement"
    is_listed: ClassVar[bool] = True
    is_submittable: ClassVar[bool] = True

    @property
    def is_labelable(self) -> bool:
        """https://html.spec.whatwg.org/#category-label"""
        return True

    @property
    def type_state(self) -> str:
        """The state of the type attribute: submit, reset, button or auto (https://html.spec.whatwg.org/#attr-button-type)."""
        keyword = (self.get_attribute("type") or "").lower()
        return keyword if keyword in ("submit", "reset", "button") else "auto"

    @property
    def is_submit_button(self) -> bool:
        """https://html.spec.whatwg.org/#concept-submit-button"""
        if self.type_state == "auto":
            return not self.has_attribute("command") and not self.has_attribute("commandfor")
        return self.type_state == "submit"

    @property
    def has_activation_behavior(self) -> bool:
        """https://html.spec.whatwg.org/#the-button-element:activation-behaviour"""
        return True

    def activation_behavior(self, event: Event) -> None:
        """https://html.spec.whatwg.org/#the-button-element:activation-behaviour (without commands and popovers)"""
        document = self.node_document
        if self.is_disabled or not isinstance(document, Document) or not document.is_fully_active:
            return
        if self.form_owner is not None:
            if self.is_submit_button:
                submit(self.form_owner, self)
            elif self.type_state == "reset":
                reset(self.form_owner)


class HTMLInputElement(FormControl):
    """An input (https://html.spec.whatwg.org/#the-input-element).

    ``radio_group`` is the radio button group that it is in, if it has a name and a form or a tree.
    """

    __slots__ = (
        "_before_activation",
        "checkedness",
        "dirty_checkedness_flag",
        "dirty_value_flag",
        "indeterminate",
        "radio_group",
        "value",
    )

    interface: ClassVar[str] = "HTMLInputElement"
    is_listed: ClassVar[bool] = True
    is_submittable: ClassVar[bool] = True
    is_resettable: ClassVar[bool] = True

    def __init__(self, node_document: DocumentNode, local_name: str) -> None:
        super().__init__(node_document, local_name)
        self.value = ""
        self.dirty_value_flag = False
        self.checkedness = False
        self.dirty_checkedness_flag = False
        self.indeterminate = False
        self.radio_group: RadioGroup | None = None
        self._before_activation: tuple[bool, bool, HTMLInputElement | None] = (False, False, None)

    @property
    def type_state(self) -> InputType:
        """The keyword of the state of the type attribute (https://html.spec.whatwg.org/#attr-input-type)."""
        return input_type(self.get_attribute("type"))

    @property
    def is_labelable(self) -> bool:
        """https://html.spec.whatwg.org/#category-label"""
        return self.type_state != "hidden"

    @property
    def is_submit_button(self) -> bool:
        """https://html.spec.whatwg.org/#concept-submit-button"""
        return self.type_state in ("submit", "image")

    @property
    def is_image_button(self) -> bool:
        """https://html.spec.whatwg.org/#image-button-state-(type=image)"""
        return self.type_state == "image"

    @property
    def facts(self) -> InputFacts:
        """The facts on which its value and its constraints rest."""
        group = [self, *self.others_of_the_radio_button_group]
        return InputFacts(
            type=self.type_state,
            value=self.value,
            attributes=self.attributes,
            disabled=self.is_disabled,
            custom_validity_error_message=self.custom_validity_error_message,
            checkedness=self.checkedness,
            group_required=any(member.has_attribute("required") for member in group),
            group_checked=any(member.checkedness for member in group),
        )

    def set_value(self, value: str) -> None:
        """https://html.spec.whatwg.org/#concept-fe-value (with the value sanitization algorithm)"""
        facts = InputFacts(type=self.type_state, value=value, attributes=self.attributes)
        self.value = value_sanitization_algorithm(facts)

    def set_checkedness(self, checkedness: bool) -> None:
        """https://html.spec.whatwg.org/#concept-fe-checked"""
        self.checkedness = checkedness
        if checkedness and self.radio_group is None:
            for other in self.others_of_the_radio_button_group:
                other.checkedness = False
        note_checkedness(self)

    @property
    def others_of_the_radio_button_group(self) -> list[HTMLInputElement]:
        """The other inputs of its radio button group (https://html.spec.whatwg.org/#radio-button-group)."""
        name = self.get_attribute("name")
        if self.type_state != "radio" or not name:
            return []
        inputs = self.radio_group.members if self.radio_group is not None else self.root.inclusive_descendants
        members = [other for other in inputs if isinstance(other, HTMLInputElement) and other is not self]
        wanted = ("radio", name, self.form_owner)
        return [
            other for other in members if (other.type_state, other.get_attribute("name"), other.form_owner) == wanted
        ]

    def concerns_its_tree(self, local_name: str) -> bool:
        """Return whether a change of an attribute can matter to what looks at the whole tree."""
        # A form with many hidden inputs is filled in in linear time so.
        return local_name != "value" or self.type_state != "hidden"

    def attribute_change_steps(self, local_name: str, old_value: str | None, value: str | None) -> None:
        """https://html.spec.whatwg.org/#the-input-element:concept-element-attributes-change-ext"""
        super().attribute_change_steps(local_name, old_value, value)
        if local_name == "type":
            self._change_the_type(input_type(old_value), input_type(value))
        elif local_name == "value" and not self.dirty_value_flag:
            self.set_value(value or "")
        elif local_name in _SANITIZING_ATTRIBUTES:
            self.set_value(self.value)
        elif local_name == "checked" and not self.dirty_checkedness_flag and (old_value is None) is not (value is None):
            self.set_checkedness(value is not None)
        if local_name in ("name", "type"):
            self._join()

    def _change_the_type(self, old_type: InputType, new_type: InputType) -> None:
        """https://html.spec.whatwg.org/#input-type-change (what it does to the value)"""
        was_value, is_value = value_mode(old_type) is ValueMode.VALUE, value_mode(new_type) is ValueMode.VALUE
        if was_value and self.value != "" and value_mode(new_type) in _OF_THE_ATTRIBUTE:
            set_an_attribute_value(self, "value", self.value)
        elif is_value and not was_value:
            self.dirty_value_flag = False
        self.set_value(self.value if was_value and is_value else self.get_attribute("value") or "")

    def insertion_steps(self) -> None:
        """https://html.spec.whatwg.org/#html-element-insertion-steps"""
        super().insertion_steps()
        self._join()

    def removing_steps(self, is_subtree_root: bool, old_ancestor: Node) -> None:
        """https://html.spec.whatwg.org/#html-element-removing-steps"""
        super().removing_steps(is_subtree_root, old_ancestor)
        self._join()

    def moving_steps(self, is_subtree_root: bool, old_ancestor: Node) -> None:
        """https://html.spec.whatwg.org/#html-element-moving-steps"""
        super().moving_steps(is_subtree_root, old_ancestor)
        self._join()

    def form_owner_changed(self) -> None:
        """https://html.spec.whatwg.org/#radio-button-group"""
        self._join()

    def _join(self) -> None:
        name = self.get_attribute("name")
        change_the_group(self, _group_of(self, name) if self.type_state == "radio" and name else None)

    def reset_algorithm(self) -> None:
        """https://html.spec.whatwg.org/#the-input-element:concept-form-reset-control"""
        self.dirty_value_flag = False
        self.dirty_checkedness_flag = False
        self.set_value(self.get_attribute("value") or "")
        self.set_checkedness(self.has_attribute("checked"))

    @property
    def has_activation_behavior(self) -> bool:
        """https://html.spec.whatwg.org/#input-activation-behavior"""
        return True

    def legacy_pre_activation_behavior(self) -> None:
        """https://html.spec.whatwg.org/#the-input-element:legacy-pre-activation-behavior"""
        checked = next((other for other in self.others_of_the_radio_button_group if other.checkedness), None)
        self._before_activation = self.checkedness, self.indeterminate, checked
        if self.type_state == "checkbox":
            self.dirty_checkedness_flag = True
            self.set_checkedness(not self.checkedness)
            self.indeterminate = False
        elif self.type_state == "radio":
            self.dirty_checkedness_flag = True
            self.set_checkedness(True)

    def legacy_canceled_activation_behavior(self) -> None:
        """https://html.spec.whatwg.org/#the-input-element:legacy-canceled-activation-behavior"""
        checkedness, indeterminate, checked = self._before_activation
        if self.type_state == "checkbox":
            self.set_checkedness(checkedness)
            self.indeterminate = indeterminate
        elif self.type_state == "radio":
            if checked is not None and checked in self.others_of_the_radio_button_group:
                checked.set_checkedness(True)
            else:
                self.set_checkedness(checkedness and checked is None)

    def activation_behavior(self, event: Event) -> None:
        """https://html.spec.whatwg.org/#input-activation-behavior"""
        if self.type_state in ("checkbox", "radio"):
            if self.is_connected:
                realm = self.node_document.realm
                fire_an_event(Event(realm, "input", bubbles=True, composed=True), self)
                fire_an_event(Event(realm, "change", bubbles=True), self)
            return
        document = self.node_document
        if self.form_owner is None or not isinstance(document, Document) or not document.is_fully_active:
            return
        if self.is_submit_button:
            submit(self.form_owner, self)
        elif self.type_state == "reset":
            reset(self.form_owner)


class HTMLTextAreaElement(FormControl):
    """A textarea (https://html.spec.whatwg.org/#the-textarea-element)."""

    __slots__ = ("dirty_value_flag", "raw_value")

    interface: ClassVar[str] = "HTMLTextAreaElement"
    is_listed: ClassVar[bool] = True
    is_submittable: ClassVar[bool] = True
    is_resettable: ClassVar[bool] = True

    def __init__(self, node_document: DocumentNode, local_name: str) -> None:
        super().__init__(node_document, local_name)
        self.raw_value = ""
        self.dirty_value_flag = False

    @property
    def is_labelable(self) -> bool:
        """https://html.spec.whatwg.org/#category-label"""
        return True

    @property
    def facts(self) -> ControlFacts:
        """The facts on which its value and its constraints rest."""
        return ControlFacts(
            value=self.raw_value.replace("\r\n", "\n").replace("\r", "\n"),
            attributes=self.attributes,
            disabled=self.is_disabled,
            custom_validity_error_message=self.custom_validity_error_message,
        )

    def children_changed_steps(self) -> None:
        """https://html.spec.whatwg.org/#the-textarea-element:children-changed-steps"""
        if not self.dirty_value_flag:
            self.raw_value = self.child_text_content

    def reset_algorithm(self) -> None:
        """https://html.spec.whatwg.org/#the-textarea-element:concept-form-reset-control"""
        self.dirty_value_flag = False
        self.raw_value = self.child_text_content


class HTMLOutputElement(FormAssociatedElement):
    """An output (https://html.spec.whatwg.org/#the-output-element)."""

    __slots__ = ("default_value_override",)

    interface: ClassVar[str] = "HTMLOutputElement"
    is_listed: ClassVar[bool] = True
    is_resettable: ClassVar[bool] = True

    def __init__(self, node_document: DocumentNode, local_name: str) -> None:
        super().__init__(node_document, local_name)
        self.default_value_override: str | None = None

    @property
    def is_labelable(self) -> bool:
        """https://html.spec.whatwg.org/#category-label"""
        return True

    @property
    def value(self) -> str:
        """https://html.spec.whatwg.org/#dom-output-value"""
        return self.descendant_text_content

    def set_value(self, value: str) -> None:
        """https://html.spec.whatwg.org/#dom-output-value"""
        self.default_value_override = self.default_value
        self._string_replace_all(value)

    @property
    def default_value(self) -> str:
        """https://html.spec.whatwg.org/#concept-output-default-value"""
        override = self.default_value_override
        return override if override is not None else self.descendant_text_content

    def reset_algorithm(self) -> None:
        """https://html.spec.whatwg.org/#the-output-element:concept-form-reset-control"""
        self._string_replace_all(self.default_value)
        self.default_value_override = None

    def _string_replace_all(self, string: str) -> None:
        replace_all([Text(self.node_document, string)] if string else [], self)


def attribute_applies(element: FormAssociatedElement, attribute: str) -> bool:
    """Return whether an element has an attribute that applies to it (https://html.spec.whatwg.org/#concept-input-apply)."""
    if isinstance(element, HTMLInputElement):
        return element.has_attribute(attribute) and applies(attribute, element.type_state)
    return element.has_attribute(attribute) and applies_to_an_element(attribute, element.local_name)


def _group_of(element: HTMLInputElement, name: str) -> RadioGroup | None:
    """Return the group with a name in an element's form or tree; None in a tree that is nowhere and has no form."""
    if element.form_owner is not None:
        return element.form_owner.radio_groups.setdefault(name, RadioGroup())
    if element.tree_scope is None:
        return None
    groups = element.tree_scope.extensions.setdefault(_RADIO_GROUPS, {})
    return cast("dict[str, RadioGroup]", groups).setdefault(name, RadioGroup())
