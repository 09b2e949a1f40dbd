"""Differences between two specifications, and between the words of two texts."""

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
    """A run of text in both sides (``=``), only in ours (``-``), or only in the other (``+``)."""

    side: Literal["=", "-", "+"]
    text: str


@dataclass(frozen=True, slots=True)
class TextDifference:
    """One difference between our text and another one.

    ``subject`` is a definition of the IDL (``ModelContext.getTools(options)``) or the id of an algorithm. ``change`` names
    the kind of difference, from ours to the other: ``added`` is only in the other, ``removed`` only in ours. ``ours`` and
    ``other`` are the differing texts, or None. ``step`` and ``other_step`` are the numbers of the step, if it is about one.
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
        """The identity of the difference, without the numbers of steps, which change with other steps."""
        return self.part, self.subject, self.change, self.ours, self.other

    @property
    def words(self) -> list[Words]:
        """The difference word by word; empty if a side has no text."""
        return [] if self.ours is None or self.other is None else differing_words(self.ours, self.other)

    def to_json(self) -> dict[str, object]:
        """Return the difference as a JSON object."""
        data: dict[str, object] = {key: getattr(self, key) for key in ("part", "subject", "change", "ours", "other")}
        if self.part == "algorithms":
            data |= {"step": self.step, "otherStep": self.other_step}
            data["words"] = [[words.side, words.text] for words in self.words]
        return data


def similarity(left: str, right: str) -> float:
    """Return the share of words that two texts have in common, from 0 to 1."""
    ours, other = Counter(_WORD.findall(left.lower())), Counter(_WORD.findall(right.lower()))
    total = ours.total() + other.total()
    return 2 * (ours & other).total() / total if total else 1.0


def differing_words(ours: str, other: str) -> list[Words]:
    """Return two texts as runs of words; between equal runs ours comes first.

    Changes that only a space separates are one change: one replaced phrase reads better than two replaced words.
    """
    old, new = _PIECE.findall(ours), _PIECE.findall(other)
    runs: list[Words] = []
    removed = added = ""
    opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for number, (operation, first, last, other_first, other_last) in enumerate(opcodes, start=1):
        text, other_text = "".join(old[first:last]), "".join(new[other_first:other_last])
        is_between = not text.strip() and (removed or added) and number < len(opcodes)
        if operation != "equal" or is_between:
            removed, added = removed + text, added + other_text
        else:
            runs += [Words("-", removed), Words("+", added), Words("=", text)]
            removed = added = ""
    runs += [Words("-", removed), Words("+", added)]
    return [run for run in runs if run.text]
