"""Telling whether two runs are in the same state: whatever happens next would be the same in both.

A fingerprint is a canonical form of everything that is reachable from some roots. Objects are numbered in the order in
which they are found, so that it does not matter where they lie in memory. What is of no known type is taken to be like
nothing else: then states are told apart that are the same, never the other way round.

An object can say by a method ``relevant`` which of the things it refers to decide how it goes on. Functions are their code
and what they close over; generators, and the frames of functions that are under way, are where they are and what they hold.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import itertools
import marshal
import sys
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
)
from typing import Any, Final

_OURS: Final = "modelcontext."
_LIST_ITERATOR: Final[type] = type(iter([]))
_CONTAINERS: Final = frozenset({list, tuple, dict, deque})
#: What never changes; there is one of each in a process.
_CONSTANT: Final = (type, ModuleType, CodeType, Enum)
_HOLDERS: Final = frozenset({CellType, MethodType, functools.partial})
_unlike_all_others: Final = itertools.count()


class Unordered(tuple[object, ...]):
    """Things whose order means nothing."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class State:
    """A state: its fingerprint, and the processes in it, in an order that is the same for all runs in this state."""

    fingerprint: bytes
    processes: Sequence[object]


def state(
    roots: Sequence[object],
    *,
    processes: tuple[type, ...],
    constant: tuple[type, ...] = (),
    under_way_in: Iterable[FrameType] = (),
) -> State:
    """Return the state that a run is in.

    Args:
        roots: from where everything that decides how the run goes on can be reached.
        processes: the types of what can act, of which the state has a list.
        constant: types whose objects never change.
        under_way_in: the frames of what is in the middle of something.
    """
    form = _CanonicalForm(processes, _CONSTANT + constant)
    tokens = form.visit(roots)
    for frame in under_way_in:
        tokens += [id(frame.f_code), b"%d" % frame.f_lasti, *form.visit([frame.f_locals])]
    while form.unordered:
        things = form.unordered.pop()
        things.sort(key=form.form_of)
        tokens += form.visit(things)
    digest = hashlib.blake2b(marshal.dumps(tokens, 2), digest_size=16).digest()
    return State(digest, form.processes)


def frames_until(code: CodeType, hidden: frozenset[str]) -> list[FrameType]:
    """Return the frames under way, innermost first, up to that of some code; without those of some modules."""
    frames = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not code:
        if frame.f_globals.get("__name__") not in hidden:
            frames.append(frame)
        frame = frame.f_back
    return frames


class _CanonicalForm:
    """Numbers what it visits; ``unordered`` holds what is to be visited when everything else has its number."""

    def __init__(self, processes: tuple[type, ...], constant: tuple[type, ...]) -> None:
        self.processes: list[object] = []
        self.unordered: list[list[object]] = []
        self._process_types = processes
        self._constant = constant
        self._numbers: dict[int, int] = {}
        self._kept: list[object] = []

    def form_of(self, thing: object) -> bytes:
        """Return the form of something by itself, without numbering what is only found there."""
        numbers, processes, unordered = self._numbers.copy(), len(self.processes), len(self.unordered)
        form = marshal.dumps(self.visit([thing]), 2)
        self._numbers = numbers
        del self.processes[processes:], self.unordered[unordered:]
        return form

    def visit(self, roots: Sequence[object]) -> list[Any]:
        """Number everything that is reachable and has no number yet; return the tokens of all that was met."""
        tokens: list[Any] = []
        numbers = self._numbers
        stack = list(reversed(roots))
        while stack:
            thing: Any = stack.pop()
            kind = type(thing)
            if kind is str or thing is None or kind is bool or kind is float:
                tokens.append(thing)
                continue
            if kind is int:
                tokens.append(b"%d" % thing)
                continue
            identity = id(thing)
            number = numbers.get(identity)
            if number is not None:
                tokens.append(number)
                continue
            if isinstance(thing, self._constant):
                tokens.append(-identity)
                continue
            numbers[identity] = len(numbers)
            self._kept.append(thing)  # So that no other object gets its identity.
            tokens.append(-id(kind))
            if kind in self._process_types:
                self.processes.append(thing)
            found = self._found_in(thing, kind, tokens)
            found.reverse()
            stack += found
        return tokens

    def _found_in(self, thing: Any, kind: type, tokens: list[Any]) -> list[object]:
        relevant = getattr(kind, "relevant", None)
        if relevant is not None:
            found = list(relevant(thing))
            for unordered in [part for part in found if type(part) is Unordered]:
                self.unordered.append(list(unordered))
            return [part for part in found if type(part) is not Unordered]
        if kind in _CONTAINERS:
            tokens.append(b"%d" % len(thing))
            return gc.get_referents(thing)
        if kind is FunctionType:
            return [thing.__code__, *(thing.__closure__ or ()), *(thing.__defaults__ or ())]
        if kind is GeneratorType:
            frame = thing.gi_frame
            tokens.append(b"%d" % (frame.f_lasti if frame is not None else -1))
            return [held for held in gc.get_referents(thing) if type(held) is not FrameType]
        if kind is _LIST_ITERATOR:
            _, arguments, *position = thing.__reduce__()
            return [*arguments, *position]
        if kind is set or kind is frozenset:
            tokens.append(b"%d" % len(thing))
            return sorted(thing) if all(type(item) is str for item in thing) else [next(_unlike_all_others)]
        if kind in _HOLDERS or kind.__module__.startswith(_OURS):
            return gc.get_referents(thing)
        if kind is BuiltinFunctionType:
            return [thing.__name__, thing.__self__]
        return [next(_unlike_all_others)]
