"""The cells of a table of clients and properties: what holds in how many complete spaces, and where two texts differ in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from modelcontext.ground.words import counted

if TYPE_CHECKING:
    from modelcontext.judging.clients.checking import Space


@dataclass(slots=True)
class PropertyCell:
    """The sum of what one client and one property came to in all spaces.

    ``spaces`` counts the complete spaces that touch on the property, ``broken`` has the size and words of the smallest breach
    by adversary, and ``undecided`` the adversaries whose space was cut off.
    """

    spaces: int = 0
    broken: dict[str, tuple[int, str]] = field(default_factory=dict)
    gaps: Counter[str] = field(default_factory=Counter)
    undecided: list[str] = field(default_factory=list)

    @property
    def smallest(self) -> tuple[str, str]:
        """The adversary with the smallest breach, and the breach in words."""
        adversary = min(self.broken, key=lambda name: (self.broken[name][0], list(self.broken).index(name)))
        return adversary, self.broken[adversary][1]

    @property
    def words(self) -> str:
        """The cell in a word or two."""
        if self.broken:
            return f"broken in {len(self.broken)} of {self.spaces}"
        if not self.spaces:
            return f"undecided: {len(self.undecided)} cut off" if self.undecided else "does not apply"
        gap = f", except for {counted(self.gaps.total(), 'trace')}" if self.gaps else ""
        cut = f", {len(self.undecided)} undecided" if self.undecided else ""
        return f"holds in {self.spaces}{gap}{cut}"


#: The cells by client and property.
Cells: TypeAlias = Mapping[tuple[str, str], PropertyCell]


def cells_of(spaces: Iterable[Space]) -> Cells:
    """Return the cells, by client and property."""
    cells: dict[tuple[str, str], PropertyCell] = {}
    for space in spaces:
        for name, finding in space.findings.items():
            cell = cells.setdefault((space.client, name), PropertyCell())
            if finding.smallest is not None:
                cell.broken[space.adversary] = finding.smallest
            if not space.complete:
                cell.undecided.append(space.adversary)
            elif finding.kept or finding.broken or finding.gaps:
                cell.spaces += 1
            cell.gaps.update(finding.gaps)
    return cells


def changed_cells(before: Cells, after: Cells) -> Iterator[tuple[str, str, str, str]]:
    """Yield client, property, and both cells in words, where two texts differ in more than the count of gaps."""
    for (client, name), cell in before.items():
        other = after[client, name]
        if (len(cell.broken), cell.spaces, bool(cell.undecided)) != (
            len(other.broken),
            other.spaces,
            bool(other.undecided),
        ):
            yield client, name, cell.words, other.words
