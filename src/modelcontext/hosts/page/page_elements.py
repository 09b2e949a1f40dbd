"""Python's objects for elements of a page: numbers, under the types that algorithms know.

A control has the facts of the last reading. They hold until something runs in the page
(:mod:`modelcontext.hosts.page.page_forms`).
"""

from __future__ import annotations

from typing import TypedDict

from modelcontext.platform.html.forms.disabledness import HTMLFieldSetElement
from modelcontext.platform.html.forms.form_owners import FormAssociatedElement, HTMLFormElement
from modelcontext.platform.html.forms.labels import HTMLLabelElement
from modelcontext.platform.html.forms.select import HTMLOptionElement


class ControlReading(TypedDict):
    """The facts about a control (``describe`` in hub/controls.js). ``labels`` has the text of each label."""

    id: int
    name: str
    type: str
    attributes: dict[str, str]
    disabled: bool
    labels: list[str]


class PageForm(HTMLFormElement):
    """A form of the page. ``watches`` says whether the tree change steps have it."""

    __slots__ = ("id", "watches")

    def __init__(self, id: int) -> None:
        self.id = id
        self.extensions = {}
        self.watches = False

    def watch_the_tree(self, watches: bool) -> None:
        """Let the tree change steps have the form from now on, or no longer."""
        self.watches = watches


class PageControl(FormAssociatedElement):
    """A listed element of the page; ``reading`` is None once it may be out of date."""

    __slots__ = ("id", "reading")

    def __init__(self, reading: ControlReading) -> None:
        self.id = reading["id"]
        self.reading: ControlReading | None = reading


class PageFieldSet(HTMLFieldSetElement):
    """A fieldset of the page."""

    __slots__ = ("id",)

    def __init__(self, id: int) -> None:
        self.id = id


class PageLabel(HTMLLabelElement):
    """A label of the page: its text, without that of the labelable elements in it."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


class PageOption(HTMLOptionElement):
    """An option as it was read, by its index in the list of options of a select."""

    __slots__ = ("_is_disabled", "_label", "_value", "index", "select_id")

    def __init__(self, select_id: int, index: int, reading: tuple[str, str, bool, bool]) -> None:
        self.select_id = select_id
        self.index = index
        self._value, self._label, self._is_disabled, self.selectedness = reading

    @property
    def value(self) -> str:
        """The value (https://html.spec.whatwg.org/#concept-option-value)."""
        return self._value

    @property
    def label(self) -> str:
        """The label (https://html.spec.whatwg.org/#concept-option-label)."""
        return self._label

    @property
    def is_disabled(self) -> bool:
        """The disabledness (https://html.spec.whatwg.org/#concept-option-disabled)."""
        return self._is_disabled


class PageTree:
    """A tree of the page in which something has changed: its forms that may be tools."""

    __slots__ = ("forms",)

    def __init__(self, forms: list[PageForm]) -> None:
        self.forms = forms
