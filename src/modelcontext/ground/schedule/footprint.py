"""Footprints: the reads and writes of an action, recorded by the shared structures themselves.

Exploration compares footprints to tell which actions commute. Only state that more than one event loop or parallel strand
can reach is recorded. State of a single event loop is covered by that loop's own key, which each of its tasks writes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias


@dataclass(frozen=True, eq=False, slots=True)
class Kind:
    """A kind of shared state, declared at the top of the module where that state lives. Each equals only itself.

    Attributes:
        name: the name of the kind, for people.
        activity: whether it decides which documents are fully active, and therefore which tasks can run at all. Such a
            kind is structure, too.
        structure: whether it changes only when documents and frames come or go, or listeners are added. In most programs
            some of these kinds never change while anything races, and then reading them commutes with everything.
        ordered: whether the same key twice is not a race, since its order comes from elsewhere (tasks of one source on one
            event loop are first in, first out), while two keys that differ only in their last part are one.
        unread: whether two writes are a race only if a later read can tell which of them was the first.
    """

    name: str
    activity: bool = False
    structure: bool = False
    ordered: bool = False
    unread: bool = False


#: Identifies a read or written piece of state: its kind, then its name within the kind.
Key: TypeAlias = tuple[Kind, *tuple[Any, ...]]

#: The name of every structure that is made after racing has begun.
_MADE_LATER: Final = 0


class Footprint:
    """The keys that one action has read and written so far, and how often its task has reached a place where it gives way."""

    __slots__ = ("given_way", "reads", "writes")

    def __init__(self) -> None:
        self.reads: set[Key] = set()
        self.writes: set[Key] = set()
        self.given_way = 0


#: The footprint of the running action, or None while recording is off.
current: Footprint | None = None


#: Called before a task changes state that steps in parallel may be reading; see
#: :meth:`modelcontext.platform.html.user_agent.UserAgent.let_others_run`.
before_shared_write: Callable[[], None] | None = None

_names: itertools.count[int] | None = None


def record_into(footprint: Footprint | None) -> None:
    """Record further reads and writes into ``footprint``; None stops recording."""
    global current
    current = footprint


class unrecorded:  # noqa: N801 (it reads as a statement)
    """Context manager in which reads and writes are not recorded."""

    __slots__ = ("_outer",)

    def __enter__(self) -> None:
        global current
        self._outer, current = current, None

    def __exit__(self, *exception: object) -> None:
        global current
        current = self._outer


def call_before_shared_writes(hook: Callable[[], None] | None) -> None:
    """Set the hook that is called before a write to state that steps in parallel may be reading."""
    global before_shared_write
    before_shared_write = hook


def about_to_write() -> None:
    """Give way to steps in parallel and to other event loops: the last moment at which they can see the old state."""
    if before_shared_write is not None:
        before_shared_write()


def read(*key: *Key) -> None:
    """Note that the running action has read the state of a key."""
    if current is not None:
        current.reads.add(key)


def write(*key: *Key) -> None:
    """Note that the running action has written the state of a key."""
    if current is not None:
        current.writes.add(key)


def give_way() -> None:
    """Note that the running action has come to a place where its task gives way, if others can act."""
    if current is not None:
        current.given_way += 1


class one_run:  # noqa: N801 (it reads as a statement)
    """Context manager of a run: what its set-up makes gets names of its own, the same in every run; nothing lasts after it."""

    __slots__ = ()

    def __enter__(self) -> None:
        global _names
        _names = itertools.count(1)

    def __exit__(self, *exception: object) -> None:
        stop_naming()
        record_into(None)


def stop_naming() -> None:
    """Give all structures made from now on one shared name: racing has begun, and schedules that race agree on no other."""
    global _names
    _names = None


def new_name() -> int:
    """Return the name of a new structure in keys."""
    return next(_names) if _names is not None else _MADE_LATER


def name_of_entry(key: Hashable) -> Hashable:
    """Return the name of a map's entry. Strings and numbers are part of a state, so equal states agree on them."""
    return key if type(key) in (str, int) else _MADE_LATER
