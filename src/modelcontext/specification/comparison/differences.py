"""One difference between two specifications, and the words in which two texts differ."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Words:
    """A run of text that both sides have (``=``), only ours (``-``), or only the other (``+``)."""

    side: Literal["=", "-", "+"]
    text: str


@dataclass(frozen=True, slots=True)
class TextDifference:
    """One difference between our text and another one.

    ``subject`` is a definition of the IDL (``ModelContext.getTools(options)``) or the id of an algorithm. ``change``
    says what differs there, seen from ours to the other: ``added`` is only in the other, ``removed`` only in ours.
    ``ours`` and ``other`` are what stands on each side, None where nothing does. ``step`` and ``other_step`` are the
    numbers of the step concerned, where it is about a step.
    """

    part: Literal["idl", "algorithms"]
    subject: str
    change: str
    ours: str | None
    other: str | None
    step: str | None = None
    other_step: str | None = None

    @property
    def key(self) -> tuple[str | None, ...]:
        """What a known difference is found by: everything but the numbers of steps, which change with others."""
        return self.part, self.subject, self.change, self.ours, self.other

    @property
    def words(self) -> list[Words]:
        """The difference word by word; empty if one side has nothing."""
        if self.ours is None or self.other is None:
            return []
        return differing_words(self.ours, self.other)

    def to_json(self) -> dict[str, object]:
        """Return the difference as a JSON object."""
        data: dict[str, object] = {
            "part": self.part,
            "subject": self.subject,
            "change": self.change,
            "ours": self.ours,
            "other": self.other,
        }
        if self.part == "algorithms":
            data |= {"step": self.step, "otherStep": self.other_step}
            data["words"] = [[words.side, words.text] for words in self.words]
        return data


def similarity(left: str, right: str) -> float:
    """How many words two texts share, from 0 to 1."""
    ours, other = Counter(_WORD.findall(left.lower())), Counter(_WORD.findall(right.lower()))
    total = ours.total() + other.total()
    return 2 * (ours & other).total() / total if total else 1.0


def differing_words(ours: str, other: str) -> list[Words]:
    """The texts as runs of words; what stands between equal runs is first ours, then the other."""
    old, new = _PIECE.findall(ours), _PIECE.findall(other)
    runs: list[Words] = []
    for operation, first, last, other_first, other_last in SequenceMatcher(
        None, old, new, autojunk=False
    ).get_opcodes():
        if operation == "equal":
            runs.append(Words("=", "".join(old[first:last])))
            continue
        if first < last:
            runs.append(Words("-", "".join(old[first:last])))
        if other_first < other_last:
            runs.append(Words("+", "".join(new[other_first:other_last])))
    return _without_crumbs(runs)


def _without_crumbs(runs: list[Words]) -> list[Words]:
    """Join two changes that only a space separates: one replaced phrase reads better than two replaced words."""
    joined: list[Words] = []
    removed, added = "", ""

    def close() -> None:
        nonlocal removed, added
        if removed:
            joined.append(Words("-", removed))
        if added:
            joined.append(Words("+", added))
        removed, added = "", ""

    for position, run in enumerate(runs):
        if run.side == "-":
            removed += run.text
        elif run.side == "+":
            added += run.text
        elif not run.text.strip() and (removed or added) and position + 1 < len(runs):
            removed, added = removed + run.text, added + run.text
        else:
            close()
            joined.append(run)
    close()
    return joined
