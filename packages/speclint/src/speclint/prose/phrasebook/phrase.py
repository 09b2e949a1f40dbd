"""A phrase of the platform: how prose says it, and what it means."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

#: A ``value`` is an expression, a ``property`` one that is looked up of its first slot, a ``test`` is a condition about
#: its first slot, and an ``act`` is a statement.
PhraseKind: TypeAlias = Literal["value", "property", "test", "act"]

_SLOT = re.compile(r"\{(\w+)(?::([^{}]*))?\}")
_NAME = re.compile(r"(\"[^\"]*\")|\b([A-Za-z_]\w*)\b(?!\s*=[^=])")


@dataclass(frozen=True)
class Phrase:
    """A row of the phrasebook.

    ``pattern`` has words and slots. A word matches the same word in another form ("parsing", "parse"), outside of
    links. Words in brackets, ``[owner/term]``, match a link to that term; a link whose owner is not said matches, too;
    behind a bar are the words that it must show, ``[owner/term|words]``. A slot is ``{name:type}``; most types are
    those of the value that an expression in this place has, and the others are ways to write:

    * ``feature``, ``event``, ``attribute``, ``tag``, ``member``, ``interface``: a name, which becomes a string;
    * ``steps``: statements in the sentence or, at its end, the steps below;
    * ``variable``: a variable, which the phrase changes or declares; ``condition``: a condition;
    * ``literal``: a string in quotation marks, or a character; ``text``: words for people;
    * ``values``: expressions, separated by commas and "and".

    ``call`` is what the phrase means: an expression of Python, in which the names of slots stand for their values. It
    calls a verb of the platform, or one of Infra that needs no function (``append``, ``contains``, ``size`` and so on).

    ``touches`` names the state that steps in parallel share and that the verb reads or writes. ``strand`` is "event loop"
    if the phrase makes sense only there.
    """

    pattern: str
    call: str
    kind: PhraseKind
    standard: str = ""
    result: str = ""
    touches: str = ""
    may_be_null: bool = False
    may_throw: bool = False
    strand: Literal["any", "event loop"] = "any"
    #: The test says that the call is false.
    is_negated: bool = False
    #: The verb that tells whether there is one ("if it has one").
    exists: str = ""
    #: What "its value" is after this test.
    its_value: str = ""

    @cached_property
    def slots(self) -> dict[str, str]:
        """The types of the slots by their names, in the order of the pattern."""
        return {match[1]: match[2] or "" for match in _SLOT.finditer(self.pattern)}

    @cached_property
    def verb(self) -> str:
        """The name of the function that the call calls."""
        return self.call.partition("(")[0]

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the slots in the order of the call, in which the arguments of a use of the phrase are."""
        names = [match[2] for match in _NAME.finditer(self.call) if match[2] in self.slots]
        return tuple(dict.fromkeys(names))

    def render(self, values: Mapping[str, str], call: str = "") -> str:
        """Return the call (or another one) with expressions of Python in the place of slots."""
        return _NAME.sub(lambda match: values.get(match[2], match[0]) if match[2] else match[0], call or self.call)

    def __repr__(self) -> str:
        return f"<{self.standard}: {self.pattern}>"


def in_standard(standard: str, *phrases: Phrase) -> tuple[Phrase, ...]:
    """Return phrases as those of a standard."""
    for phrase in phrases:
        object.__setattr__(phrase, "standard", standard)
    return phrases
