"""Conditions on outcomes, in the words in which outcomes are printed.

A *fact* is the beginning of the line of an entry (``call: fulfilled with "x"``, ``event toolchange``, ``callback "t"
called``) or of a pending promise (``call: never settled``), up to the end of a word. The document that recorded the entry
can come first: ``[child] event toolchange``. A condition is one of

* ``FACT``: an entry begins like this,
* ``no FACT``: no entry does,
* ``FACT before FACT``: in one log, the first entry like the left fact comes before the first like the right fact,
* ``N times FACT``: exactly N entries begin like this.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from modelcontext.ground.problems import UserError
from modelcontext.programs.program.outcome import Outcome, describe_entry

_DOCUMENT: Final = re.compile(r"\[([A-Za-z0-9_-]+)\] +(\S.*)", re.DOTALL)
_TIMES: Final = re.compile(r"(\d+) times (.*)", re.DOTALL)


class ConditionError(UserError, ValueError):
    """A text that is not a condition; the message says why."""


class OutcomeCondition(Protocol):
    """A condition on an outcome."""

    @property
    def facts(self) -> Sequence[Fact]:
        """The beginnings of entries that it names."""

    def holds(self, outcome: Outcome) -> bool:
        """Return whether the condition holds for an outcome."""


@dataclass(frozen=True, slots=True)
class Fact:
    """The beginning of an entry's line; ``document`` is the one that recorded it, or None for any."""

    words: str
    document: str | None = None

    def is_said_by(self, document: str, line: str) -> bool:
        """Return whether a line of a document begins with the fact."""
        if self.document not in (None, document) or not line.startswith(self.words):
            return False
        rest = line[len(self.words) :]
        return not (rest[:1].isalnum() and self.words[-1].isalnum())

    def places(self, outcome: Outcome) -> Iterator[tuple[str, int]]:
        """Yield the log and the index of each entry that begins with the fact."""
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
    """The condition that ``count`` entries begin with a fact; None stands for at least one."""

    fact: Fact
    count: int | None = None

    @property
    def facts(self) -> Sequence[Fact]:
        """The one fact."""
        return [self.fact]

    def holds(self, outcome: Outcome) -> bool:
        """Return whether the condition holds for an outcome."""
        found = sum(1 for _ in self.fact.places(outcome))
        return found > 0 if self.count is None else found == self.count


@dataclass(frozen=True, slots=True)
class InOrder:
    """The condition that one fact comes before another one in the same log."""

    left: Fact
    right: Fact

    @property
    def facts(self) -> Sequence[Fact]:
        """Both facts."""
        return [self.left, self.right]

    def holds(self, outcome: Outcome) -> bool:
        """Return whether the condition holds for an outcome."""
        # Of each log the first place counts.
        left, right = (dict(reversed([*fact.places(outcome)])) for fact in (self.left, self.right))
        return any(index < right[log] for log, index in left.items() if log in right and log != "pending")

    def is_apart(self, outcomes: Iterable[Outcome]) -> bool:
        """Return whether both facts occur, but never in one log of an outcome. Neither fact comes before the other then."""
        logs = [tuple({log for log, _ in fact.places(outcome)} for fact in self.facts) for outcome in outcomes]
        return any(left and right for left, right in logs) and not any(left & right for left, right in logs)


def parse(text: str) -> OutcomeCondition:
    """Read a condition.

    Raises:
        ConditionError: if the text is not a condition.
    """
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
        raise ConditionError(f"{whole!r} does not describe an entry of a log; write, for example, 'call: fulfilled'")
    return Fact(words, document)
