"""The states of an input element's ``type`` (https://html.spec.whatwg.org/#attr-input-type), and what applies to each."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum
from fractions import Fraction
from typing import Final, NamedTuple

from modelcontext.platform.html.forms.dates import MILLISECONDS_PER_DAY


class InputType(StrEnum):
    """A state of the ``type`` attribute, by its keyword."""

    HIDDEN = "hidden"
    TEXT = "text"
    SEARCH = "search"
    TEL = "tel"
    URL = "url"
    EMAIL = "email"
    PASSWORD = "password"
    DATE = "date"
    MONTH = "month"
    WEEK = "week"
    TIME = "time"
    DATETIME_LOCAL = "datetime-local"
    NUMBER = "number"
    RANGE = "range"
    COLOR = "color"
    CHECKBOX = "checkbox"
    RADIO = "radio"
    FILE = "file"
    SUBMIT = "submit"
    IMAGE = "image"
    RESET = "reset"
    BUTTON = "button"


class ValueMode(Enum):
    """A mode of the ``value`` IDL attribute (https://html.spec.whatwg.org/#dom-input-value)."""

    VALUE = "value"
    DEFAULT = "default"
    DEFAULT_ON = "default/on"
    FILENAME = "filename"


class Stepping(NamedTuple):
    """The step scale factor, the default step, the default step base (https://html.spec.whatwg.org/#attr-input-step)."""

    scale_factor: int
    default_step: int
    default_step_base: int = 0


_TEXT_LIKE: Final = frozenset(
    {InputType.TEXT, InputType.SEARCH, InputType.TEL, InputType.URL, InputType.EMAIL, InputType.PASSWORD}
)
_TEMPORAL: Final = frozenset(
    {InputType.DATE, InputType.MONTH, InputType.WEEK, InputType.TIME, InputType.DATETIME_LOCAL}
)
_NUMERIC: Final = _TEMPORAL | {InputType.NUMBER, InputType.RANGE}
_TYPED: Final = _TEXT_LIKE | _TEMPORAL | {InputType.NUMBER}
_CHECKABLE: Final = frozenset({InputType.CHECKBOX, InputType.RADIO})

#: The states to which each content attribute applies (https://html.spec.whatwg.org/#input-type-attr-summary).
ATTRIBUTE_APPLIES: Final[Mapping[str, frozenset[InputType]]] = {
    "checked": _CHECKABLE,
    "max": _NUMERIC,
    "maxlength": _TEXT_LIKE,
    "min": _NUMERIC,
    "minlength": _TEXT_LIKE,
    "multiple": frozenset({InputType.EMAIL, InputType.FILE}),
    "pattern": _TEXT_LIKE,
    "readonly": _TYPED,
    "required": _TYPED | _CHECKABLE | {InputType.FILE},
    "step": _NUMERIC,
}

#: The same for the elements that are no input elements: those whose definitions have the attribute.
_APPLIES_TO: Final[Mapping[str, frozenset[str]]] = {
    "select": frozenset({"multiple", "required"}),
    "textarea": frozenset({"maxlength", "minlength", "readonly", "required"}),
}

_VALUE_MODES: Final[Mapping[InputType, ValueMode]] = {
    InputType.HIDDEN: ValueMode.DEFAULT,
    InputType.CHECKBOX: ValueMode.DEFAULT_ON,
    InputType.RADIO: ValueMode.DEFAULT_ON,
    InputType.FILE: ValueMode.FILENAME,
    InputType.SUBMIT: ValueMode.DEFAULT,
    InputType.IMAGE: ValueMode.DEFAULT,
    InputType.RESET: ValueMode.DEFAULT,
    InputType.BUTTON: ValueMode.DEFAULT,
}

#: The stepping of each state to which ``step`` applies.
STEPPING: Final[Mapping[InputType, Stepping]] = {
    InputType.DATE: Stepping(MILLISECONDS_PER_DAY, 1),
    InputType.MONTH: Stepping(1, 1),
    # The start of the week 1970-W01.
    InputType.WEEK: Stepping(7 * MILLISECONDS_PER_DAY, 1, -259_200_000),
    InputType.TIME: Stepping(1000, 60),
    InputType.DATETIME_LOCAL: Stepping(1000, 60),
    InputType.NUMBER: Stepping(1, 1),
    InputType.RANGE: Stepping(1, 1),
}

#: The default minimum and the default maximum of the only state that has them.
DEFAULT_RANGE: Final = (Fraction(0), Fraction(100))

_OF_KEYWORD: Final[Mapping[str, InputType]] = {str(type): type for type in InputType}


def input_type(attribute: str | None) -> InputType:
    """Return the state of a ``type`` attribute, or of a missing one: the missing and the invalid value default is Text."""
    if attribute is None or not attribute.isascii():
        return InputType.TEXT
    return _OF_KEYWORD.get(attribute.lower(), InputType.TEXT)


def applies(attribute: str, type: InputType) -> bool:
    """Return whether a content attribute of :data:`ATTRIBUTE_APPLIES` applies to a state."""
    return type in ATTRIBUTE_APPLIES[attribute]


def applies_to_an_element(attribute: str, local_name: str) -> bool:
    """Return whether a content attribute of :data:`ATTRIBUTE_APPLIES` applies to an element that is no input element."""
    return attribute in _APPLIES_TO.get(local_name, ())


def value_mode(type: InputType) -> ValueMode:
    """Return the mode of the ``value`` IDL attribute in a state."""
    return _VALUE_MODES.get(type, ValueMode.VALUE)


def has_a_periodic_domain(type: InputType) -> bool:
    """Return whether a state has a periodic domain (https://html.spec.whatwg.org/#has-a-periodic-domain)."""
    return type is InputType.TIME
