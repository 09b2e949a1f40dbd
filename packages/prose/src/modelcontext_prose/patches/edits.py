"""Edits of the lines of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class Edits:
    """The lines of a text that are taken out, and those that are put in before a line, by its index."""

    gone: set[int] = field(default_factory=set)
    added: dict[int, list[str]] = field(default_factory=dict)

    def put(self, index: int, lines: Sequence[str]) -> None:
        """Put lines in before the line of an index, behind those that are put in there already."""
        self.added.setdefault(index, []).extend(lines)

    def take(self, first: int, last: int) -> None:
        """Take lines out, from the number of the first to that of the last."""
        self.gone.update(range(first - 1, last))

    def stands_at(self, index: int) -> int:
        """Return the index of the first line for which those stand that are put in before the line of an index."""
        if index not in self.gone:
            while index - 1 in self.gone:
                index -= 1
        return index
