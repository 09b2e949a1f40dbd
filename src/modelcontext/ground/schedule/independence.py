"""Independence: the test whether an action of one process commutes with the future actions of others.

Sets of footprint keys are kept as the bits of integers, since there are few keys and many comparisons.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from modelcontext.ground.schedule.footprint import Footprint, Key


@dataclass(frozen=True, slots=True)
class Touched:
    """Keys that are read and written, as bits that an :class:`Independence` has numbered."""

    reads: int = 0
    writes: int = 0

    def __or__(self, other: Touched) -> Touched:
        return Touched(self.reads | other.reads, self.writes | other.writes)


NOTHING = Touched()
_EVERYTHING = Touched(-1, -1)


class Independence:
    """The keys of one exploration, and which of them stand for races."""

    def __init__(self) -> None:
        self._bits: dict[Key, int] = {}
        self._groups: dict[tuple[object, ...], int] = {}
        self._ordered = 0
        self._activity = 0
        self._unread = 0
        self._dependent: dict[tuple[int, int], bool] = {}
        self._numbers: dict[Touched, int] = {}
        self._numbered: list[Touched] = []

    def touched(self, footprint: Footprint) -> Touched:
        """Return a footprint as bits."""
        return Touched(self._mask(footprint.reads), self._mask(footprint.writes))

    def _mask(self, keys: set[Key]) -> int:
        mask = 0
        for key in keys:
            mask |= self._bits.get(key) or self._new_bit(key)
        return mask

    def _new_bit(self, key: Key) -> int:
        bit = self._bits[key] = 1 << len(self._bits)
        kind = key[0]
        if kind.ordered:
            self._groups[key[:-1]] = self._groups.get(key[:-1], 0) | bit
            self._ordered |= bit
        elif kind.activity:
            self._activity |= bit
        elif kind.unread:
            self._unread |= bit
        return bit

    def clash(self, one: Touched, other: Touched, after: Touched, *, in_order: bool = True) -> bool:
        """Return whether the order of the two can matter.

        Args:
            one: keys touched by the action.
            other: keys that other processes will touch.
            after: keys that any process will touch.
            in_order: whether ``ordered`` keys count.
        """
        both_write = one.writes & other.writes
        both = both_write & ~(self._unread & ~after.reads) | (one.writes & other.reads) | (one.reads & other.writes)
        if both & ~self._ordered:
            return True
        return in_order and any(
            _differ(one.writes & group, (other.reads | other.writes) & group)
            or _differ(other.writes & group, one.reads & group)
            for group in self._groups.values()
        )

    def commute(self, one: Touched, other: Touched) -> bool:
        """Return whether two actions lead to the same state in both orders."""
        activity = (one.writes | other.writes) & self._activity
        return not activity and not self.clash(one, other, _EVERYTHING)

    def number(self, touched: Touched) -> int:
        """Return the number of what an action touches; equal ones have the same."""
        number = self._numbers.setdefault(touched, len(self._numbers))
        if number == len(self._numbered):
            self._numbered.append(touched)
        return number

    def depend(self, one: int, other: int) -> bool:
        """Return whether the order of two actions can matter, also to the state; each is the number of what it touches."""
        known = self._dependent.get((one, other))
        if known is None:
            mine, theirs = self._numbered[one], self._numbered[other]
            both = mine.writes & (theirs.writes | theirs.reads) | mine.reads & theirs.writes
            known = self._dependent[one, other] = bool(both) or self.clash(mine, theirs, _EVERYTHING)
        return known

    def changes_activity(self, touched: Touched) -> bool:
        """Return whether tasks can become runnable through the action, or stop being so."""
        return bool(touched.writes & self._activity)


def _differ(written: int, touched: int) -> bool:
    """Return whether one key is written and another one touched."""
    return bool(written and touched) and (written | touched).bit_count() > 1
