"""Conditions: what a person says about an outcome, in the words in which outcomes are printed.

A *fact* is the beginning of a line that stands for an entry (``call: fulfilled with "x"``, ``event toolchange``,
``callback "t" called``) or for a promise that stayed pending (``call: never settled``), up to the end of a word. In front
of it can stand the document that recorded it: ``[child] event toolchange``. A condition is one of

* ``FACT``: some entry is like this,
* ``no FACT``: none is,
* ``FACT before FACT``: in one log, the first entry like the left one comes before the first one like the right one,
* ``N times FACT``: exactly so many are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

from modelcontext.program.outcome import Outcome, describe_entry

_DOCUMENT: Final = re.compile(r"\[([A-Za-z0-9_-]+)\] +(\S.*)", re.DOTALL)
_TIMES: Final = re.compile(r"(\d+) times (.*)", re.DOTALL)


class ConditionError(ValueError):
    """A text is no condition; the message says why."""


class OutcomeCondition(Protocol):
    """Something that holds for an outcome, or does not."""

    def holds(self, outcome: Outcome) -> bool:
        """Return whether it does."""


@dataclass(frozen=True, slots=True)
class Fact:
    """What an entry says; ``document`` is the one that recorded it, or None for any."""

    words: str
    document: str | None = None

    def is_said_by(self, document: str, line: str) -> bool:
        """Return whether a line of a document says so."""
        if self.document not in (None, document) or not line.startswith(self.words):
            return False
        rest = line[len(self.words) :]
        return not (rest[:1].isalnum() and self.words[-1].isalnum())

    def places(self, outcome: Outcome) -> Iterator[tuple[str, int]]:
        """Yield the log and the index of each entry that says so."""
        for name, log in outcome.logs.items():
            for index, entry in enumerate(log):
                if self.is_said_by(entry["in"], describe_entry(entry)):
                    yield name, index
        for index, label in enumerate(outcome.pending):
            document, _, step = label.partition(": ")
            if self.is_said_by(document, f"{step}: never settled"):
                yield "pending", index


@dataclass(frozen=True, slots=True)
class Times:
    """A fact is there so many times; ``count`` is None for at least once."""

    fact: Fact
    count: int | None = None

    def holds(self, outcome: Outcome) -> bool:
        found = sum(1 for _ in self.fact.places(outcome))
        return found > 0 if self.count is None else found == self.count


@dataclass(frozen=True, slots=True)
class InOrder:
    """One fact comes before another one in the same log."""

    left: Fact
    right: Fact

    def holds(self, outcome: Outcome) -> bool:
        left: dict[str, int] = {}
        right: dict[str, int] = {}
        for fact, first in ((self.left, left), (self.right, right)):
            for log, index in fact.places(outcome):
                first.setdefault(log, index)
        return any(index < right[log] for log, index in left.items() if log in right and log != "pending")


def parse(text: str) -> OutcomeCondition:
    """Read a condition. Raises :class:`ConditionError`."""
    if text.startswith("no "):
        return Times(_fact(text[3:], text), 0)
    if found := _TIMES.fullmatch(text):
        return Times(_fact(found[2], text), int(found[1]))
    left, before, right = text.partition(" before ")
    if before:
        return InOrder(_fact(left, text), _fact(right, text))
    return Times(_fact(text, text))


def _fact(text: str, whole: str) -> Fact:
    text = text.strip()
    found = _DOCUMENT.fullmatch(text)
    document, words = (found[1], found[2]) if found else (None, text)
    if not words:
        raise ConditionError(f"{whole!r} says nothing about an entry; write, for example, 'call: fulfilled'")
    return Fact(words, document)
