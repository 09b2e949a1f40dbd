"""A phrase of the platform: how prose says it, and what it means."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

#: A ``value`` is an expression, a ``property`` one that is looked up of something ("its"), a ``test`` a condition whose
#: subject is its first slot, and an ``act`` is a statement.
PhraseKind: TypeAlias = Literal["value", "property", "test", "act"]

_SLOT = re.compile(r"\{(\w+)(?::([^{}]*))?\}")
_VERB = re.compile(r"(\w+)\((.*)\)")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A row of the phrasebook.

    ``pattern`` has words and slots, ``{name:type}``. Words match by stems, in plain text or inside of a link; words in
    brackets, ``[owner/term]``, match a link only. ``call`` is the verb with the names of slots in the order of its
    parameters; an argument in quotation marks is a constant.

    ``touches`` names the shared state that the verb reads or writes: steps in parallel yield before it. ``strand`` is
    "event loop" if it can only be done there.
    """

    pattern: str
    call: str
    kind: PhraseKind
    standard: str
    result: str = ""
    touches: str = ""
    may_be_null: bool = False
    may_throw: bool = False
    strand: Literal["any", "event loop"] = "any"
    #: The verb that sets the property, with the owner and the new value; "" if it cannot be set.
    setter: str = ""
    note: str = field(default="", compare=False)

    @property
    def verb(self) -> str:
        """The name of the verb."""
        match = _VERB.fullmatch(self.call)
        return match[1] if match else self.call

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of slots, or constants in quotation marks, in the order of the verb's parameters."""
        match = _VERB.fullmatch(self.call)
        return tuple(part.strip() for part in match[2].split(",")) if match and match[2].strip() else ()

    @property
    def slots(self) -> dict[str, str]:
        """The types of the slots by their names, in the order of the pattern."""
        return {match[1]: match[2] or "" for match in _SLOT.finditer(self.pattern)}
