"""The places of elements in the source of a document."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from modelcontext.people.forms.page_report import ElementPlace
from modelcontext.people.forms.texts import start_tag
from modelcontext.platform.html.forms.form_controls import HTMLInputElement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from modelcontext.platform.dom.elements import Element


class Places:
    """The places of the elements of a document, with lines if a person has the source."""

    def __init__(self, html: str, indexes: Mapping[Element, int], *, has_lines: bool) -> None:
        self._indexes = indexes if has_lines else {}
        self._ends = [index for index, char in enumerate(html) if char == "\n"] if has_lines else []

    def __getitem__(self, element: Element) -> ElementPlace:
        """Return the place of an element."""
        index = self._indexes.get(element)
        kind = element.type_state if isinstance(element, HTMLInputElement) else element.local_name
        return ElementPlace(start_tag(element), kind, self.line(index) if index is not None else None)

    def line(self, index: int) -> int:
        """Return the line of an index of the source, counted from 1."""
        return bisect_right(self._ends, index - 1) + 1
