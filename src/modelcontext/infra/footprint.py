"""What an action of the world reads and writes, recorded by the shared structures themselves.

Exploration compares footprints to tell which actions commute. Only state that more than one event loop or parallel strand
can reach is recorded: what belongs to one event loop is covered by that loop's own key, which each of its tasks writes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

#: What is read or written: the kind of thing, then which one.
Key: TypeAlias = tuple[str, *tuple[Any, ...]]

#: The kinds that change only when documents and frames come or go, or listeners are added. In most programs some of them
#: never change while anything races, and then reading them commutes with everything.
STRUCTURE: Final = frozenset(
    {
        "active document",
        "content navigable",
        "node navigable",
        "window of WindowProxy",
        "listeners of AbortSignal",
        "listeners of ModelContext",
    }
)


class Footprint:
    """The keys that one action has read and written so far."""

    __slots__ = ("reads", "writes")

    def __init__(self) -> None:
        self.reads: set[Key] = set()
        self.writes: set[Key] = set()


#: The footprint of the action under way, or None when nobody records.
current: Footprint | None = None


#: Called before something on an event loop changes what steps in parallel may be reading; see
#: :meth:`modelcontext.html.user_agent.UserAgent.let_others_run`.
before_shared_write: Callable[[], None] | None = None


def record_into(footprint: Footprint | None) -> None:
    """Send what follows to ``footprint``; None stops recording."""
    global current
    current = footprint


def call_before_shared_writes(hook: Callable[[], None] | None) -> None:
    """Set what is called before a write to state that steps in parallel may be reading."""
    global before_shared_write
    before_shared_write = hook


def about_to_write() -> None:
    """Give way to steps in parallel and to other event loops: the last moment at which they can see the old state."""
    if before_shared_write is not None:
        before_shared_write()


def read(key: Key) -> None:
    """Note that the action under way has read what ``key`` stands for."""
    if current is not None:
        current.reads.add(key)


def write(key: Key) -> None:
    """Note that the action under way has written what ``key`` stands for."""
    if current is not None:
        current.writes.add(key)
