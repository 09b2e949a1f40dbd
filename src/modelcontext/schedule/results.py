"""Sets of results from a state on, with equal parts shared.

A result is one sequence of observations for each stream, and the rest at the end. Sequences are linked lists without
duplicates, so that prepending an item and comparing two sequences take constant time.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TypeAlias

#: The number of the rest at the end, then of the sequence of each stream; empty ones at the end are left out.
Suffix: TypeAlias = tuple[int, ...]

_END = 0


class Results:
    """The sequences of one exploration."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._items: list[Hashable] = [None]
        self._item_numbers: dict[Hashable, int] = {}
        self._cells: list[tuple[int, int]] = [(0, 0)]
        self._cell_numbers: dict[tuple[int, int], int] = {}

    def _number(self, item: Hashable) -> int:
        number = self._item_numbers.get(item)
        if number is None:
            number = self._item_numbers[item] = len(self._items)
            self._items.append(item)
        return number

    def end(self, left: Hashable) -> frozenset[Suffix]:
        """Return the results of a state in which nothing can happen any more."""
        return frozenset([(self._number(left),)])

    def _place(self, stream: str) -> int:
        return self._places.setdefault(stream, len(self._places) + 1)

    def before(self, observed: Sequence[tuple[str, Hashable]], results: frozenset[Suffix]) -> frozenset[Suffix]:
        """Return results with observations in front."""
        if not observed:
            return results
        steps = [(self._place(stream), self._number(item)) for stream, item in reversed(observed)]
        places = 1 + max(place for place, _ in steps)
        made = []
        for suffix in results:
            changed = [*suffix, *[_END] * (places - len(suffix))]
            for place, item in steps:
                cell = (item, changed[place])
                number = self._cell_numbers.get(cell)
                if number is None:
                    number = self._cell_numbers[cell] = len(self._cells)
                    self._cells.append(cell)
                changed[place] = number
            made.append(tuple(changed))
        return frozenset(made)

    def without(self, observed: Sequence[tuple[str, Hashable]], suffix: Suffix) -> Suffix | None:
        """Return a result without the observations it begins with, or None if it does not begin with them."""
        changed = list(suffix)
        for stream, item in observed:
            place = self._place(stream)
            if place >= len(changed):
                return None
            first, changed[place] = self._cells[changed[place]]
            if first != self._number(item):
                return None
        while changed[-1] == _END and len(changed) > 1:
            changed.pop()
        return tuple(changed)

    def unfold(self, suffix: Suffix) -> tuple[dict[str, list[Hashable]], Hashable]:
        """Return the sequences of a result, and the rest at the end."""
        streams = {
            name: list(self._sequence(suffix[place])) for name, place in self._places.items() if place < len(suffix)
        }
        return streams, self._items[suffix[0]]

    def _sequence(self, number: int) -> Iterator[Hashable]:
        while number != _END:
            item, number = self._cells[number]
            yield self._items[item]
