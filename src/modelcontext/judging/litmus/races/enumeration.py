"""The enumeration of races: all combinations of a few actions in a scene, each once up to symmetry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import product

from modelcontext.judging.litmus.races.actions import (
    CHANGING,
    FRAME,
    NAMES,
    OF_FORMS,
    OF_TOOLS,
    TOP,
    Deed,
    RacingAction,
    When,
    actions_of,
)


class Setting(StrEnum):
    """The documents of a race."""

    #: A document alone.
    ALONE = "alone"
    #: A document and its frame of the same origin, on one event loop.
    FRAME = "frame"
    #: A document and its frame of another origin, each on an event loop of its own.
    OTHER = "other"

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents, in their order."""
        return (TOP,) if self is Setting.ALONE else (TOP, FRAME)


@dataclass(frozen=True, slots=True)
class Race:
    """Racing actions. Those that one document does at one time have an order; others have none."""

    scene: Setting
    actions: tuple[RacingAction, ...]

    def __str__(self) -> str:
        return f"{self.scene}: {'; '.join(map(str, self.actions))}"

    @property
    def running(self) -> tuple[str, str] | None:
        """The caller and the owner of the call that runs before the race begins."""
        for action in self.actions:
            if action.kind is Deed.ABORT:
                return action.by, action.of
            if action.kind is Deed.SETTLE:
                return action.of, action.by
        return None

    def holds(self, owner: str, name: str) -> Deed | None:
        """Return what a name is before the race: ``REGISTER`` for a tool of a script, ``INSERT`` for a form, or None."""
        kinds = {one.kind for one in self.actions if (one.owner, one.name) == (owner, name)}
        if kinds & OF_FORMS:
            return Deed.INSERT
        runs = self.running is not None and (self.running[1], NAMES[0]) == (owner, name)
        return Deed.REGISTER if kinds & OF_TOOLS or runs else None


class Races:
    """The races of a number of actions in a scene; ``bounded`` leaves out nested actions and the second name."""

    def __init__(self, scene: Setting, count: int, *, bounded: bool) -> None:
        self._scene, self._count = scene, count
        self._actions = tuple(actions_of(scene.documents, bounded=bounded))
        #: The number of combinations with a meaning, before symmetry.
        self.combinations = 0

    @cached_property
    def found(self) -> Sequence[Race]:
        """The races, each once."""
        return [Race(self._scene, actions) for actions in sorted(self._found())]

    def _found(self) -> set[tuple[RacingAction, ...]]:
        found = set()
        for actions in product(self._actions, repeat=self._count):
            if _has_meaning(self._scene, actions):
                self.combinations += 1
                found.add(min(_in_order(some) for some in _renamed(actions)))
        return found


def _in_order(actions: Sequence[RacingAction]) -> tuple[RacingAction, ...]:
    """Return actions with those of one document and time together, in their order."""
    return tuple(sorted(actions, key=lambda one: (one.by, one.when)))


def _renamed(actions: tuple[RacingAction, ...]) -> Iterator[tuple[RacingAction, ...]]:
    yield actions
    exchanged = {NAMES[0]: NAMES[1], NAMES[1]: NAMES[0], "": ""}
    if all(one.kind in (Deed.REGISTER, Deed.UNREGISTER, Deed.CALL, Deed.INSERT) or not one.name for one in actions):
        yield tuple(replace(one, name=exchanged[one.name]) for one in actions)


def _has_meaning(scene: Setting, actions: tuple[RacingAction, ...]) -> bool:
    """Return whether a page can do these actions, and they share structures, and all documents of the scene take part."""
    if any(not _has_its_time(one, [*actions[:index], *actions[index + 1 :]]) for index, one in enumerate(actions)):
        return False
    if frozenset().union(*(one.documents for one in actions)) != frozenset(scene.documents):
        return False
    runs = {
        (one.by, one.of) if one.kind is Deed.ABORT else (one.of, one.by)
        for one in actions
        if one.kind in (Deed.ABORT, Deed.SETTLE)
    }
    if len(runs) > 1 or not _are_connected(actions):
        return False
    for one in actions:
        others = {other.kind for other in actions if (other.owner, other.name) == (one.owner, one.name)}
        if one.name and others & OF_FORMS and others & OF_TOOLS:
            return False
        # A form is exposed to its own origin only.
        if one.kind in OF_FORMS and one.by != one.of and scene is Setting.OTHER:
            return False
    return all(_follows_a_call(index, actions) for index, one in enumerate(actions) if one.kind is Deed.CANCEL)


def _has_its_time(action: RacingAction, others: Sequence[RacingAction]) -> bool:
    match action.when:
        case When.TIMER:
            # Alone in its document, it would only be later.
            return any(other.by == action.by for other in others)
        case When.EVENT:
            return any(other.kind in CHANGING and other.when is not When.EVENT for other in others)
        case When.CALLBACK:
            # If the callback called its own tool, there would be no end.
            return any(
                other.kind is Deed.CALL and other.when in (When.SCRIPT, When.TIMER) and other.of == action.by
                for other in others
            ) and not (action.kind is Deed.CALL and action.of == action.by)
    return action.kind is not Deed.HEAR or any(other.kind in CHANGING for other in others)


def _follows_a_call(index: int, actions: Sequence[RacingAction]) -> bool:
    return any(
        one.kind in (Deed.CALL, Deed.FILL) and (one.by, one.when) == (actions[index].by, When.SCRIPT)
        for one in actions[:index]
    )


def _are_connected(actions: Sequence[RacingAction]) -> bool:
    reached, left = [actions[0]], list(actions[1:])
    while near := [one for one in left if any(one.shares_with(other) for other in reached)]:
        reached += near
        left = [one for one in left if one not in near]
    return not left
