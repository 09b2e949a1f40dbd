"""Patterns of phrases, taken apart into words, links, marks and slots."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from speclint.text.markup import stems

_PART = re.compile(
    r"""\{(?P<slot>\w+)(?::(?P<type>[^{}]*))?\}
    |\[(?P<link>[^\[\]]+)\]
    |"(?P<string>[^"]*)"
    |(?P<number>\d+)
    |(?P<mark>'s|[,():;+\u2212]|-(?=\s))
    |(?P<word>[\w-]+)""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for an expression, or for another thing that its type names."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Word:
    """A word, which matches in any of its forms."""

    text: str
    stem: str


@dataclass(frozen=True, slots=True)
class LinkTo:
    """A link to a term of one of the owners; ``shown`` are the stems of its words if only those match."""

    owners: frozenset[str]
    key: tuple[str, ...]
    shown: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark, a number, or a string in quotation marks."""

    text: str
    kind: str


Element: TypeAlias = Slot | Word | LinkTo | Mark


@cache
def elements_of(pattern: str) -> tuple[Element, ...]:
    """Return the elements of a pattern."""
    found: list[Element] = []
    for match in _PART.finditer(pattern):
        if match["slot"]:
            found.append(Slot(match["slot"], match["type"] or ""))
        elif match["link"]:
            found.append(_link(match["link"]))
        elif match["word"] and not match["number"]:
            found.append(Word(match["word"], stems(match["word"])[0]))
        else:
            text = match["string"] if match["string"] is not None else match[0]
            kind = "string" if match["string"] is not None else "number" if match["number"] else "mark"
            found.append(Mark(text, kind))
    return tuple(found)


def _link(text: str) -> LinkTo:
    """Return the element for ``owner/term|shown``; several owners are separated by ``&``."""
    target, _, shown = text.partition("|")
    owners, _, term = target.rpartition("/")
    return LinkTo(frozenset(owners.lower().split("&")) - {""}, stems(term), stems(shown), text)
