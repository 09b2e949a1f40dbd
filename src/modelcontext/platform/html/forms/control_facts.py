"""The facts about a form control on which its value and its constraints rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from modelcontext.platform.html.forms.input_types import InputType, applies


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlFacts:
    """A textarea element, or what it has in common with input and select elements.

    Attributes:
        value: the element's value; of a textarea its API value.
        attributes: its content attributes, by their local names.
        disabled: whether it is disabled (https://html.spec.whatwg.org/#concept-fe-disabled), by whatever does it.
        edited: whether its dirty value flag is true, and its value was last changed by a user edit.
        custom_validity_error_message: the text given to ``setCustomValidity()``.
    """

    value: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    disabled: bool = False
    edited: bool = False
    custom_validity_error_message: str = ""

    def has(self, attribute: str) -> bool:
        """Return whether a content attribute is specified and applies."""
        return attribute in self.attributes

    def get(self, attribute: str) -> str | None:
        """Return the value of a content attribute that applies, or None."""
        return self.attributes[attribute] if self.has(attribute) else None

    @property
    def mutable(self) -> bool:
        """The mutability (https://html.spec.whatwg.org/#concept-fe-mutable): true if the user can change the value."""
        return not self.disabled and not self.has("readonly")


@dataclass(frozen=True, slots=True, kw_only=True)
class InputFacts(ControlFacts):
    """An input element.

    Attributes:
        type: the state of its type attribute.
        checkedness: its checkedness.
        has_files: whether its list of selected files has any.
        unconvertible: whether the user entered what the user agent cannot convert to a value.
        group_required: whether an element of its radio button group, itself included, is required.
        group_checked: whether an element of its radio button group, itself included, has true checkedness.
    """

    type: InputType = InputType.TEXT
    checkedness: bool = False
    has_files: bool = False
    unconvertible: bool = False
    group_required: bool = False
    group_checked: bool = False

    def has(self, attribute: str) -> bool:
        """Return whether a content attribute is specified and applies to the element's state."""
        return attribute in self.attributes and applies(attribute, self.type)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectFacts(ControlFacts):
    """A select element.

    Attributes:
        has_selection: whether an option is selected, other than the placeholder label option.
    """

    has_selection: bool = False

    @property
    def mutable(self) -> bool:
        """The mutability: ``readonly`` is no attribute of a select element."""
        return not self.disabled
