"""Views: how much the lines of a page tell."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import product, zip_longest
from typing import TYPE_CHECKING, Any, Final, Literal

from modelcontext.ground.problems import UserError

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.outcome import Entry, Outcome

#: The members of listed tools that a page shows: those that are named, or those that a word stands for.
Members = tuple[str, ...] | Literal["most", "all", "keys"]
#: The way to a part of a listed tool: a member, and what is in it.
Way = tuple[str | int, ...]
#: The members of a listed tool that a page shows beside its name, one at a time.
BESIDE_THE_NAME: Final = ("title", "description", "inputSchema", "annotations")


class PlainError(UserError):
    """A program that one page of plain JavaScript cannot show; the message says what is needed."""


@dataclass(frozen=True, slots=True)
class View:
    """The parts of entries that a page shows.

    ``hidden`` has the entries that are in every compared outcome and tell nothing, as document, kind and name. ``members`` are
    those of listed tools: some, all except for window and origin, all except for the window, or the names of all.
    With ``events`` 1 the lines have the interfaces of events, and with 2 whether they are trusted. ``realms`` is true if they
    say whether an object is of another realm, ``inputs`` if they say what a callback or another function gets, ``reasons``
    if some reason is not an error, and ``agents`` if outcomes differ in who submits a form. ``parts`` has the ways to the
    parts of each listed tool that the lines have, if these are not whole members.
    """

    hidden: frozenset[tuple[str, str, str]] = frozenset()
    members: Members = ("name",)
    events: int = 0
    realms: bool = False
    reasons: bool = False
    inputs: bool = True
    agents: bool = False
    parts: tuple[Way, ...] = ()

    def hides(self, document: str, kind: str, name: str) -> bool:
        """Return whether entries of a kind (a key of an entry) and name are hidden."""
        return (document, kind, name) in self.hidden


#: The result of a registration, which tells nothing as long as every outcome has it.
_UNDEFINED: Final = {"$js": "undefined"}


def views(program: Program, outcomes: Collection[Outcome], *, whole: bool = False) -> Iterator[View]:
    """Yield views of outcomes, from the one that tells least; each ``whole`` view has realms and inputs if there are any."""
    realms = any(_has_realm(outcome.logs) for outcome in outcomes)
    reasons = any(map(_is_no_error, (entry for outcome in outcomes for entry in _entries(outcome))))
    inputs = any(_has_input(entry) for outcome in outcomes for entry in _entries(outcome))
    agents = any(len({*ones} - {None}) > 1 for ones in zip_longest(*map(_agents, outcomes)))
    quiet = frozenset(_in_every(outcomes, _is_quiet))
    every: list[Members] = [("name",), *(("name", member) for member in BESIDE_THE_NAME), "keys", "most", "all"]
    if any(_lists_an_odd_schema(entry) for outcome in outcomes for entry in _entries(outcome)):
        every.insert(0, ("name", "inputSchema"))
    given = dict.fromkeys([(realms, inputs)] if whole else product((False, realms), (False, inputs)))
    for members, events, hidden, (realm, input_) in product(every, (0, 1, 2), (True, False), given):
        view = View(quiet if hidden else frozenset(), members, events, realm, reasons, input_, agents)
        if members == every[0] or any(step.do == "getTools" for _, step in program.walk()):
            yield view


def _has_realm(value: Any) -> bool:
    if isinstance(value, Mapping):
        return "$realm" in value or any(map(_has_realm, value.values()))
    return isinstance(value, (list, tuple)) and any(map(_has_realm, value))


def _agents(outcome: Outcome) -> tuple[bool, ...]:
    return tuple(bool(entry["agentInvoked"]) for entry in _entries(outcome) if "agentInvoked" in entry)


def _has_input(entry: Entry) -> bool:
    return "function" in entry or entry.get("input", {}) != {}


def _lists_an_odd_schema(entry: Entry) -> bool:
    """Return whether an entry has the list of a tool whose schema is no object, which a reader has to see."""
    tools = entry.get("fulfilled")
    return isinstance(tools, list) and any(
        isinstance(tool, Mapping) and not isinstance(tool.get("inputSchema", {}), (Mapping, list)) for tool in tools
    )


def _is_no_error(entry: Entry) -> bool:
    reasons = [entry[key] for key in ("rejected", "threw", "reason") if key in entry]
    return any(not (isinstance(one, Mapping) and "$error" in one) for one in reasons)


def _is_quiet(entry: Entry) -> bool:
    return "timer" in entry or "microtask" in entry or ("promise" in entry and entry.get("fulfilled") == _UNDEFINED)


def _in_every(outcomes: Collection[Outcome], is_quiet: Any) -> Iterator[tuple[str, str, str]]:
    """Yield what has as many entries in every outcome, which tell nothing."""
    found = [list(_entries(outcome)) for outcome in outcomes]
    for entry in found[0] if found else ():
        key = _key(entry)
        alike = [[one for one in entries if _key(one) == key] for entries in found]
        if all(len(those) == len(alike[0]) and all(map(is_quiet, those)) for those in alike):
            yield key


def _entries(outcome: Outcome) -> Iterator[Entry]:
    for log in outcome.logs.values():
        yield from log


def _key(entry: Entry) -> tuple[str, str, str]:
    kind = next(key for key in entry if key != "in")
    return str(entry["in"]), kind, str(entry[kind])
