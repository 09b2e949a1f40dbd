"""Two outcomes compared: what differs between them, in lines for people, and which outcomes belong together.

An entry that is on both sides and at another place has moved. Entries about the same promise, call or event that differ
otherwise are one change and not two. So an outcome that differs from another by one entry is one line.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from modelcontext.programs.program.outcome import canonical_entry, describe_entry

if TYPE_CHECKING:
    from modelcontext.programs.program.outcome import Entry, Outcome


def paired(gone: Sequence[Outcome], come: Sequence[Outcome]) -> dict[int, int]:
    """Return which outcome that comes stands for which one that goes, as indices: the nearest first, each at most once."""
    distances = sorted(
        (distance(one, other), left, right)
        for left, one in enumerate(gone)
        for right, other in enumerate(come)
        # Outcomes that are about nothing in common have nothing to do with each other.
        if _subjects(one) & _subjects(other)
    )
    found: dict[int, int] = {}
    taken = set[int]()
    for _, left, right in distances:
        if left not in found and right not in taken:
            found[left] = right
            taken.add(right)
    return found


def nearest(outcome: Outcome, others: Iterable[Outcome]) -> Outcome | None:
    """Return the first of the nearest outcomes, or None if there is no other."""
    return min(others, key=lambda other: distance(outcome, other), default=None)


def distance(before: Outcome, after: Outcome) -> int:
    """Return the number of entries and pending promises that one of two outcomes has and the other has not, or elsewhere."""
    apart = len(set(before.pending) ^ set(after.pending))
    for name in before.logs.keys() | after.logs.keys():
        old, new = _texts(before, name), _texts(after, name)
        same = sum(block.size for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks())
        apart += len(old) + len(new) - 2 * same
    return apart


def differences(before: Outcome, after: Outcome) -> Iterator[str]:
    """Yield the differences from one outcome to another, each in a line."""
    documents = {str(entry.get("in")) for one in (before, after) for log in one.logs.values() for entry in log}
    for name in dict.fromkeys([*before.logs, *after.logs]):
        yield from _Log(before.logs.get(name, ()), after.logs.get(name, ()), len(documents) > 1).differences()
    yield from (f"{label}: never settled, which is new" for label in after.pending if label not in before.pending)
    yield from (f"{label}: never settled, which is missing" for label in before.pending if label not in after.pending)


def _subjects(outcome: Outcome) -> set[str]:
    return {_subject(entry) for log in outcome.logs.values() for entry in log} | set(outcome.pending)


def _texts(outcome: Outcome, name: str) -> list[str]:
    return [canonical_entry(entry) for entry in outcome.logs.get(name, ())]


def _subject(entry: Entry) -> str:
    """Return what an entry is about, whatever it says of it."""
    about = ("in", "promise", "step", "event", "callback", "abort", "function", "get", "timer", "microtask")
    return json.dumps([entry.get(key) for key in about])


class _Log:
    """One log of two outcomes: the entries that only one has at a place."""

    def __init__(self, before: Sequence[Entry], after: Sequence[Entry], has_names: bool) -> None:
        self._before, self._after, self._has_names = before, after, has_names
        old, new = ([canonical_entry(entry) for entry in log] for log in (before, after))
        self._out: list[int] = []
        self._in: list[int] = []
        for kind, left, to_left, right, to_right in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if kind != "equal":
                self._out += range(left, to_left)
                self._in += range(right, to_right)

    def differences(self) -> Iterator[str]:
        moved = self._matched(canonical_entry)
        for left, right in moved:
            yield from self._moved(left, right)
        for left, right in self._matched(_subject):
            yield f"{self._words(self._after[right])}, instead of: {describe_entry(self._before[left])}"
        yield from (f"{self._words(self._after[right])}, which is new" for right in self._in)
        yield from (f"{self._words(self._before[left])} is missing" for left in self._out)

    def _matched(self, key: Callable[[Entry], str]) -> list[tuple[int, int]]:
        """Take the pairs of entries with the same key out of those that differ."""
        found = []
        for left in [*self._out]:
            right = next((one for one in self._in if key(self._after[one]) == key(self._before[left])), None)
            if right is not None:
                self._out.remove(left)
                self._in.remove(right)
                found.append((left, right))
        return found

    def _moved(self, left: int, right: int) -> Iterator[str]:
        """Say which entry is now before which other one, or after which ones that it has let pass, if it has met any."""
        entry = self._words(self._after[right])
        # An entry that is the same as this one cannot be told from it.
        own = canonical_entry(self._before[left])
        earlier, later = (
            [text for text in map(canonical_entry, part) if text != own]
            for part in (self._before[:left], self._before[left + 1 :])
        )
        for one in self._after[right + 1 :]:
            if canonical_entry(one) in earlier:
                yield f"{entry}, now before: {self._words(one)}"
                return
        passed = [one for one in self._after[:right] if canonical_entry(one) in later]
        if len(passed) == 1:
            yield f"{self._words(passed[0])}, now before: {entry}"
        elif passed:
            yield f"{entry}, now after: {self._words(passed[-1])}"

    def _words(self, entry: Entry) -> str:
        return f"[{entry.get('in')}] {describe_entry(entry)}" if self._has_names else describe_entry(entry)
