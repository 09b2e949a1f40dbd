"""The terms about forms that a text defines in prose, without steps; and the state of a form, which takes part in hooks.

Structs are the revision's own, so these functions say only which items they look at.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from modelcontext.platform.html.document import Document
    from modelcontext.platform.html.forms.form_owners import HTMLFormElement

MONTH_PATTERN: Final = "^[0-9]{4,}-(0[1-9]|1[0-2])$"
WEEK_PATTERN: Final = "^[0-9]{4,}-W(0[1-9]|[1-4][0-9]|5[0-3])$"
COLOR_PATTERN: Final = "^#[0-9a-fA-F]{6}$"
_TIME_PATTERNS: Final[Mapping[str, str]] = {
    "minutes": "^([01][0-9]|2[0-3]):[0-5][0-9]$",
    "seconds": "^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$",
    "milliseconds": r"^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,3})?)?$",
}
_DATE_PATTERN: Final = "[0-9]{4,}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])T"


class _InputSchema(Protocol):
    @property
    def serialized(self) -> str: ...


class _Definition(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def description(self) -> str: ...
    @property
    def input_schema(self) -> _InputSchema | None: ...


class _FormTool(Protocol):
    @property
    def context(self) -> object: ...
    @property
    def definition(self) -> _Definition: ...
    @property
    def autosubmit(self) -> bool: ...


def alike_form_tools(tool: _FormTool, other: _FormTool) -> bool:
    """Return whether two form tools are alike."""
    return _compared(tool) == _compared(other)


def _compared(tool: _FormTool) -> tuple[object, ...]:
    definition, schema = tool.definition, tool.definition.input_schema
    serialized = schema.serialized if schema is not None else None
    return tool.context, tool.autosubmit, definition.name, definition.title, definition.description, serialized


def time_pattern(precision: str) -> str:
    """Return the time pattern for a precision."""
    return _TIME_PATTERNS[precision]


def local_date_and_time_pattern(precision: str) -> str:
    """Return the local date and time pattern for a precision."""
    return f"^{_DATE_PATTERN}{_TIME_PATTERNS[precision][1:]}"


class StateOfForm:
    """The part of a form's state on which hooks depend: without an updating document it has the tree change steps."""

    __slots__ = ("_form", "_updating_document")

    def __init__(self, form: HTMLFormElement) -> None:
        self._form = form
        self._updating_document: Document | None = None

    @property
    def updating_document(self) -> Document | None:
        """The updating document."""
        return self._updating_document

    @updating_document.setter
    def updating_document(self, document: Document | None) -> None:
        self._updating_document = document
        self._form.watch_the_tree(document is None)
