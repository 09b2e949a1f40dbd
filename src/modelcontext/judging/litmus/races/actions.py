"""The actions that race, and the structures that each touches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

TOP: Final = "top"
FRAME: Final = "frame"
#: The names that tools have.
NAMES: Final = ("t", "u")


class Deed(StrEnum):
    """The deed of an action, as a phrase behind the document that does it."""

    REGISTER = "registers"
    UNREGISTER = "unregisters"
    REPLACE = "replaces"
    LIST = "lists the tools"
    HEAR = "listens for toolchange"
    CALL = "calls"
    ABORT = "aborts its running call of"
    SETTLE = "answers the running call of"
    CANCEL = "aborts its call"
    REMOVE = "removes the frame"
    NAVIGATE = "navigates the frame"
    INSERT = "inserts the form"
    WITHDRAW = "removes the form"
    RENAME = "renames the form"
    DESCRIBE = "describes anew the form"
    FILL = "calls the form"
    SUBMIT = "submits the form"


class When(StrEnum):
    """The time of an action, as words before the document that does it."""

    #: As a step of the document's script.
    SCRIPT = ""
    #: In a task of the timer source.
    TIMER = "in a timer, "
    #: In each event toolchange of the document.
    EVENT = "in toolchange, "
    #: In the callback of the tool that another action calls.
    CALLBACK = "in the callback, "


#: Kinds with a tool that a script has registered before the race.
OF_TOOLS: Final = frozenset({Deed.UNREGISTER, Deed.REPLACE, Deed.CALL, Deed.SETTLE})
#: Kinds with a form that is a tool before the race.
OF_FORMS: Final = frozenset({Deed.WITHDRAW, Deed.RENAME, Deed.DESCRIBE, Deed.FILL, Deed.SUBMIT})
#: Kinds whose tool may be that of another document.
ACROSS: Final = frozenset({Deed.CALL, Deed.FILL, Deed.ABORT})
#: Kinds that fire toolchange.
CHANGING: Final = frozenset(
    {
        Deed.REGISTER,
        Deed.UNREGISTER,
        Deed.REPLACE,
        Deed.NAVIGATE,
        Deed.INSERT,
        Deed.WITHDRAW,
        Deed.RENAME,
        Deed.DESCRIBE,
    }
)
#: Kinds that may name either tool; the others with a name name the first one.
_TWO_NAMES: Final = frozenset({Deed.REGISTER, Deed.UNREGISTER, Deed.CALL, Deed.INSERT})
_NO_NAMES: Final = frozenset({Deed.LIST, Deed.HEAR, Deed.CANCEL, Deed.REMOVE, Deed.NAVIGATE})
#: Kinds that only the document that holds the frame can do.
_OF_THE_HOLDER: Final = frozenset({Deed.REMOVE, Deed.NAVIGATE})
#: Kinds that only a script does: nested steps cannot, or the event or callback would bring itself about again.
_ONLY_SCRIPTED: Final = frozenset({Deed.HEAR, Deed.NAVIGATE, Deed.REPLACE, Deed.INSERT, Deed.RENAME, Deed.CANCEL})


@dataclass(frozen=True, slots=True, order=True)
class RacingAction:
    """An action of a document; ``of`` is the document that has the tool, or the caller of the call that is answered."""

    by: str
    when: When
    kind: Deed
    of: str
    name: str = ""

    def __str__(self) -> str:
        words = f"{self.when}{self.by} {self.kind}"
        if not self.name:
            return words
        return f"{words} {self.name}" + (f" of {self.of}" if self.of != self.by else "")

    @property
    def owner(self) -> str:
        """The document whose tool the action names."""
        return self.by if self.kind is Deed.SETTLE else self.of

    @property
    def documents(self) -> frozenset[str]:
        """The documents that take part."""
        return frozenset({self.by, self.of} | ({FRAME} if self.kind in _OF_THE_HOLDER else set()))

    @property
    def touched(self) -> frozenset[tuple[str, str]]:
        """The structures that the action reads or changes, as pairs of a document and a name; ``*`` is all of the document."""
        match self.kind:
            case Deed.LIST | Deed.HEAR:
                return frozenset({(TOP, "*"), (FRAME, "*")})
            case Deed.REMOVE | Deed.NAVIGATE:
                return frozenset({(FRAME, "*")})
            case Deed.CANCEL:
                return frozenset({(self.by, "call")})
            case Deed.RENAME:
                return frozenset((self.owner, name) for name in NAMES)
            case Deed.CALL | Deed.FILL:
                # The caller's end of the call goes with the caller.
                return frozenset({(self.owner, self.name), (self.by, "call")})
            case Deed.ABORT:
                return frozenset({(self.owner, self.name), (self.by, "running")})
            case Deed.SETTLE:
                return frozenset({(self.owner, self.name), (self.of, "running")})
        return frozenset({(self.owner, self.name)})

    def shares_with(self, other: RacingAction) -> bool:
        """Return whether both touch one structure, or one of them happens because of the other."""
        if When.EVENT in (self.when, other.when) or When.CALLBACK in (self.when, other.when):
            return True
        return any(
            document == place and (name == key or "*" in (name, key))
            for document, name in self.touched
            for place, key in other.touched
        )


def actions_of(documents: tuple[str, ...], *, bounded: bool) -> Iterator[RacingAction]:
    """Yield the actions of some documents; if bounded, only those of scripts, with the first name."""
    for by in documents:
        for kind in Deed:
            if kind in _OF_THE_HOLDER and (by != TOP or FRAME not in documents):
                continue
            names = ("",) if kind in _NO_NAMES else NAMES if kind in _TWO_NAMES and not bounded else NAMES[:1]
            others = documents if kind in ACROSS or kind is Deed.SETTLE else (by,)
            times = (When.SCRIPT,) if bounded or kind in _ONLY_SCRIPTED else When
            yield from (RacingAction(by, when, kind, of, name) for when in times for of in others for name in names)
