"""The values of variables that have only one, and the objects of which such a value is looked up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from speclint.flow import phrases
from speclint.flow.conditions import canonical
from speclint.flow.platform import OF_ANOTHER_DOCUMENT
from speclint.text.markup import links

if TYPE_CHECKING:
    from speclint.text.source_model import SourceAlgorithm

#: A variable, or this, and what is looked up of it, in the form of :func:`speclint.flow.conditions.canonical`.
PATH: Final = r"(?:\|[^|]+\||\[=this=\])(?:'s (?:associated )?\[=[^=]+=\])*"
_NAME = re.compile(r"\|[^|]+\||\[=this=\]")
#: The words for the object whose member the steps are.
THIS: Final = "[=this=]"
_PROMISE = re.compile(r"^(?:\[=(?:a new promise|create a promise|creating a promise)=\]|a new promise)(?: in (.+))?$")
_RUNNING = re.compile(r"^(?:the )?\[=(?:current|surrounding) [^=]+=\]")


def values_of(algorithm: SourceAlgorithm) -> dict[str, str]:
    """Return the value of each variable to which the steps of an algorithm give one value only."""
    values: dict[str, set[str]] = {}
    for step in algorithm.walk():
        for name, value in phrases.assignments(step.text):
            values.setdefault(f"|{name}|", set()).add(canonical(value).rstrip(" ."))
    return {name: next(iter(some)) for name, some in values.items() if len(some) == 1}


def owners_of(words: str, values: Mapping[str, str]) -> list[str]:
    """Return the variables, or :data:`THIS`, of which a value is looked up; each is looked up of the one behind it.

    All of them belong to one global object. The list is empty if the words do not say to which.
    """
    found: list[str] = []
    while not _leads_away(words):
        name = _NAME.match(words)
        owner = THIS if _RUNNING.match(words) else name[0] if name else ""
        if owner in ("", *found):
            break
        found.append(owner)
        made = _PROMISE.match(values.get(owner, ""))
        words = (made[1] or THIS) if made else values.get(owner, "")
        if not made and not re.fullmatch(PATH, words) and not _RUNNING.match(words):
            break
    return found


def _leads_away(path: str) -> bool:
    return any(link.term in OF_ANOTHER_DOCUMENT for link in links(path))
