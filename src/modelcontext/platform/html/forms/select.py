"""Selects and their options (https://html.spec.whatwg.org/#the-select-element)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Final

from modelcontext.platform.html.elements import HTMLElement
from modelcontext.platform.html.forms.control_facts import SelectFacts
from modelcontext.platform.html.forms.disabledness import FormControl

if TYPE_CHECKING:
    from modelcontext.platform.dom.nodes import DocumentNode, Node

#: What the rules for parsing non-negative integers accept (https://html.spec.whatwg.org/#rules-for-parsing-non-negative-integers).
_NON_NEGATIVE_INTEGER: Final = re.compile("[\t\n\f\r ]*[+]?([0-9]+)")
_ASCII_WHITESPACE: Final = re.compile("[\t\n\f\r ]+")


class HTMLDataListElement(HTMLElement):
    """A datalist (https://html.spec.whatwg.org/#the-datalist-element)."""

    __slots__ = ()

    interface: ClassVar[str] = "HTMLDataListElement"


class HTMLOptGroupElement(HTMLElement):
    """An optgroup (https://html.spec.whatwg.org/#the-optgroup-element)."""

    __slots__ = ()

    interface: ClassVar[str] = "HTMLOptGroupElement"

    @property
    def is_disabled(self) -> bool:
        """https://html.spec.whatwg.org/#attr-optgroup-disabled"""
        return self.has_attribute("disabled")

    def attribute_change_steps(self, local_name: str, old_value: str | None, value: str | None) -> None:
        """https://html.spec.whatwg.org/#attr-optgroup-disabled"""
        super().attribute_change_steps(local_name, old_value, value)
        select = self.nearest_ancestor(HTMLSelectElement)
        if local_name == "disabled" and select is not None:
            select.all_are_disabled = False


class HTMLOptionElement(HTMLElement):
    """An option (https://html.spec.whatwg.org/#the-option-element).

    ``select`` is its nearest ancestor select, as of the last insertion or removal.
    """

    __slots__ = ("dirtiness", "select", "selectedness")

    interface: ClassVar[str] = "HTMLOptionElement"

    def __init__(self, node_document: DocumentNode, local_name: str) -> None:
        super().__init__(node_document, local_name)
        self.dirtiness = False
        self.selectedness = False
        self.select: HTMLSelectElement | None = None

    @property
    def is_disabled(self) -> bool:
        """https://html.spec.whatwg.org/#concept-option-disabled"""
        return self.has_attribute("disabled") or (
            isinstance(self.parent, HTMLOptGroupElement) and self.parent.is_disabled
        )

    @property
    def text(self) -> str:
        """https://html.spec.whatwg.org/#dom-option-text (with the text of scripts, which no option is parsed with)"""
        return _ASCII_WHITESPACE.sub(" ", self.descendant_text_content).strip(" ")

    @property
    def value(self) -> str:
        """https://html.spec.whatwg.org/#concept-option-value"""
        value = self.get_attribute("value")
        return value if value is not None else self.text

    @property
    def label(self) -> str:
        """https://html.spec.whatwg.org/#concept-option-label"""
        return self.get_attribute("label") or self.text

    def set_selectedness(self, selectedness: bool) -> None:
        """https://html.spec.whatwg.org/#concept-option-selectedness"""
        self.selectedness = selectedness
        if self.select is not None:
            self.select.note(self)

    def attribute_change_steps(self, local_name: str, old_value: str | None, value: str | None) -> None:
        """https://html.spec.whatwg.org/#attr-option-selected"""
        super().attribute_change_steps(local_name, old_value, value)
        if local_name == "selected" and not self.dirtiness and (old_value is None) is not (value is None):
            self.set_selectedness(value is not None)
            if self.select is not None:
                self.select.option_was_changed(self)
        elif local_name == "disabled" and self.select is not None:
            self.select.all_are_disabled = False

    def insertion_steps(self) -> None:
        """https://html.spec.whatwg.org/#the-option-element:html-element-insertion-steps"""
        super().insertion_steps()
        self._find_the_select()

    def removing_steps(self, is_subtree_root: bool, old_ancestor: Node) -> None:
        """https://html.spec.whatwg.org/#the-option-element:html-element-removing-steps"""
        super().removing_steps(is_subtree_root, old_ancestor)
        self._find_the_select()

    def moving_steps(self, is_subtree_root: bool, old_ancestor: Node) -> None:
        """https://html.spec.whatwg.org/#the-option-element:html-element-moving-steps"""
        super().moving_steps(is_subtree_root, old_ancestor)
        self._find_the_select()

    def _find_the_select(self) -> None:
        old_select, self.select = self.select, nearest_ancestor_select(self)
        if old_select is self.select:
            return
        if old_select is not None:
            old_select.option_was_removed(self)
        if self.select is not None:
            self.select.note(self)
            self.select.option_was_changed(self)


class HTMLSelectElement(FormControl):
    """A select.

    ``selected`` are the options of its list whose selectedness is true, in order of selection. ``all_are_disabled`` is True
    only if none of its options can be selected by default.
    """

    __slots__ = ("all_are_disabled", "selected")

    interface: ClassVar[str] = "HTMLSelectElement"
    is_listed: ClassVar[bool] = True
    is_submittable: ClassVar[bool] = True
    is_resettable: ClassVar[bool] = True

    def __init__(self, node_document: DocumentNode, local_name: str) -> None:
        super().__init__(node_document, local_name)
        self.selected: dict[HTMLOptionElement, None] = {}
        self.all_are_disabled = False

    @property
    def is_labelable(self) -> bool:
        """https://html.spec.whatwg.org/#category-label"""
        return True

    @property
    def facts(self) -> SelectFacts:
        """The facts on which its value and its constraints rest."""
        return SelectFacts(
            attributes=self.attributes,
            disabled=self.is_disabled,
            custom_validity_error_message=self.custom_validity_error_message,
            has_selection=self._has_selection(),
        )

    def _has_selection(self) -> bool:
        """Return whether an option is selected, other than the placeholder label option."""
        # https://html.spec.whatwg.org/#placeholder-label-option
        first = next(iter(self.list_of_options), None)
        may_have_placeholder = not self.has_attribute("multiple") and self.display_size == 1
        is_placeholder = first is not None and may_have_placeholder and first.value == "" and first.parent is self
        return any(option is not first or not is_placeholder for option in self.selected)

    @property
    def display_size(self) -> int:
        """https://html.spec.whatwg.org/#concept-select-size"""
        size = _NON_NEGATIVE_INTEGER.match(self.get_attribute("size") or "")
        # Of a number that is larger than any screen, the first digits do.
        parsed = int(size[1].lstrip("0")[:9] or 0) if size is not None else 0
        return parsed if parsed > 0 else 4 if self.has_attribute("multiple") else 1

    @property
    def list_of_options(self) -> Iterator[HTMLOptionElement]:
        """https://html.spec.whatwg.org/#concept-select-option-list"""
        return (node for node in self.descendants if isinstance(node, HTMLOptionElement) and node.select is self)

    def note(self, option: HTMLOptionElement) -> None:
        """Keep the selected options up to date with one of its options."""
        if option.selectedness:
            self.selected[option] = None
        else:
            self.selected.pop(option, None)

    def option_was_changed(self, option: HTMLOptionElement) -> None:
        """Do what follows an insertion, or a change of a ``selected`` attribute."""
        if not option.is_disabled:
            self.all_are_disabled = False
        if self.has_attribute("multiple"):
            return
        if option.selectedness:
            select_alone(self, option)
        else:
            selectedness_setting_algorithm(self)

    def option_was_removed(self, option: HTMLOptionElement) -> None:
        """Do what follows a removal from its list."""
        self.selected.pop(option, None)
        selectedness_setting_algorithm(self)

    def attribute_change_steps(self, local_name: str, old_value: str | None, value: str | None) -> None:
        """https://html.spec.whatwg.org/#attr-select-multiple"""
        super().attribute_change_steps(local_name, old_value, value)
        if local_name == "multiple":
            selectedness_setting_algorithm(self)

    def reset_algorithm(self) -> None:
        """https://html.spec.whatwg.org/#the-select-element:concept-form-reset-control"""
        for option in self.list_of_options:
            option.set_selectedness(option.has_attribute("selected"))
            option.dirtiness = False
        selectedness_setting_algorithm(self)


def nearest_ancestor_select(option: HTMLOptionElement) -> HTMLSelectElement | None:
    """https://html.spec.whatwg.org/#option-element-nearest-ancestor-select"""
    ancestor_optgroup = None
    for ancestor in option.ancestors:
        if isinstance(ancestor, HTMLDataListElement | HTMLOptionElement):
            return None
        if isinstance(ancestor, HTMLElement) and ancestor.local_name == "hr":
            return None
        if isinstance(ancestor, HTMLOptGroupElement):
            if ancestor_optgroup is not None:
                return None
            ancestor_optgroup = ancestor
        if isinstance(ancestor, HTMLSelectElement):
            return ancestor
    return None


def select_alone(select: HTMLSelectElement, option: HTMLOptionElement) -> None:
    """Set the selectedness of one option to true, and that of all others in the list to false."""
    for other in list(select.selected):
        if other is not option:
            other.set_selectedness(False)
    option.set_selectedness(True)


def selectedness_setting_algorithm(select: HTMLSelectElement) -> None:
    """https://html.spec.whatwg.org/#selectedness-setting-algorithm"""
    if select.has_attribute("multiple"):
        return
    if not select.selected:
        if select.display_size == 1 and not select.all_are_disabled:
            first = next((option for option in select.list_of_options if not option.is_disabled), None)
            select.all_are_disabled = first is None
            if first is not None:
                first.set_selectedness(True)
    elif len(select.selected) > 1:
        *_, last = (option for option in select.list_of_options if option.selectedness)
        select_alone(select, last)
