"""Telling when two beginnings of runs are the same but for the order of actions that commute.

An action depends on what created it, on the action before it on the same strand, and on every earlier one with which its
footprint conflicts. An action is identified by what it is and by what it depends on, so the set of the actions of a
beginning stands for all its equivalent orders (a Mazurkiewicz trace), and equal sets mean equal states.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, TypeAlias

from modelcontext.infra import footprint
from modelcontext.infra.footprint import STRUCTURE, Footprint, Key

ActionId: TypeAlias = int

#: The actions that have happened, and those that have given way in their middle: the innermost of them goes on first.
State: TypeAlias = tuple[frozenset[ActionId], tuple[ActionId, ...]]


class StructureChangedError(Exception):
    """A run has changed structure that was taken to be stable; the exploration starts again without that assumption."""


class Actions:
    """The actions seen in all runs of one exploration, numbered; and the kinds of structure that they change.

    ``silent`` holds the actions that were silent when they were performed last: the identity of each, and the number of
    the action before it on the same strand.
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, ActionId] = {}
        self.changing_kinds: set[str] = set()
        self.silent: set[Hashable] = set()

    def number(self, action: Hashable) -> ActionId:
        """Return the number of an action, a new one where it was not seen before."""
        return self._numbers.setdefault(action, len(self._numbers) + 1)


class _Creator:
    """Whatever an action creates is identified by it; its number is known when it has ended."""

    __slots__ = ("created", "number")

    def __init__(self) -> None:
        self.number: ActionId = 0
        self.created = 0


_SETUP: Final = "set-up"


def _resolved(identity: object) -> Hashable:
    assert isinstance(identity, tuple)
    creator, index = identity
    assert isinstance(creator, _Creator)
    return (creator.number, index)


class TraceJournal:
    """The journal of one run (see :class:`modelcontext.html.user_agent.Journal`)."""

    def __init__(self, actions: Actions) -> None:
        self._actions = actions
        self._creator = _Creator()
        self._identity: Hashable = _SETUP
        self._footprint = Footprint()
        self._choices: list[int] = []
        self._last_of: dict[Hashable, ActionId] = {}
        self._last_write: dict[Key, ActionId] = {}
        self._reads_since: dict[Key, set[ActionId]] = {}
        self._done: set[ActionId] = set()
        self._given_way: list[ActionId] = []

    @property
    def state(self) -> State:
        """What stands for the state that the run is in, between two actions."""
        return frozenset(self._done), tuple(self._given_way)

    def new_identity(self) -> object:
        """Return the identity of something that the action under way creates."""
        self._creator.created += 1
        return (self._creator, self._creator.created)

    def before(self, identity: object) -> None:
        """An action begins, or goes on after it has given way."""
        self._identity = _resolved(identity)
        if self._given_way and self._given_way[-1] == self._last_of.get(self._identity):
            self._given_way.pop()
        self._creator = _Creator()
        self._footprint = Footprint()
        self._choices = []
        footprint.record_into(self._footprint)

    def chose(self, answer: int) -> None:
        """A free choice was made inside the action under way."""
        self._choices.append(answer)

    def is_expected_to_be_silent(self, identity: object) -> bool:
        """Return whether an action with this identity was silent in an earlier run."""
        resolved = _resolved(identity)
        return (resolved, self._last_of.get(resolved, 0)) in self._actions.silent

    def is_silent(self) -> bool:
        """Return whether the action under way has so far only read structure that never changes."""
        changing = self._actions.changing_kinds
        return not self._footprint.writes and all(
            key[0] in STRUCTURE and key[0] not in changing for key in self._footprint.reads
        )

    def after(self, *, ended: bool = True) -> None:
        """The action has ended, or gives way in its middle; then another call of :meth:`before` resumes it.

        Raises:
            StructureChangedError: if it has changed structure of a kind that was taken to be stable.
        """
        footprint.record_into(None)
        reads, writes = self._footprint.reads, self._footprint.writes
        changed = {key[0] for key in writes if key[0] in STRUCTURE} - self._actions.changing_kinds
        if changed:
            self._actions.changing_kinds |= changed
            raise StructureChangedError
        position = (self._identity, self._last_of.get(self._identity, 0))
        (self._actions.silent.add if self.is_silent() else self._actions.silent.discard)(position)
        before = {self._last_of.get(self._identity, 0)}
        for key in reads:
            before.add(self._last_write.get(key, 0))
        for key in writes:
            before.add(self._last_write.get(key, 0))
            before |= self._reads_since.get(key, set())
        number = self._actions.number((self._identity, ended, frozenset(before), tuple(self._choices)))
        self._creator.number = number
        self._last_of[self._identity] = number
        for key in reads:
            self._reads_since.setdefault(key, set()).add(number)
        for key in writes:
            self._last_write[key] = number
            self._reads_since.pop(key, None)
        self._done.add(number)
        if not ended:
            self._given_way.append(number)
