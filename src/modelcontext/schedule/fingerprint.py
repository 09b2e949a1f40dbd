"""Fingerprints of states: two runs with equal fingerprints have the same future.

A fingerprint is a canonical form of everything that is reachable from some roots. Objects are numbered in the order in
which they are found, so that their place in memory does not matter. An object of an unknown type is taken to be unlike every
other: then equal states may be told apart, but different ones are never merged.

An object can list in a method ``relevant`` the references that decide how it continues. Functions are represented by their
code and closure. Generators, and the frames of running functions, are represented by their position and locals.
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

_OURS: Final = __name__.partition(".")[0] + "."
_LIST_ITERATOR: Final[type] = type(iter([]))
_VALUES: Final = frozenset({str, float, bool, type(None)})
_SEQUENCES: Final = frozenset({list, tuple, deque})
#: Types whose objects never change; a process has one of each.
_CONSTANT: Final = (type, ModuleType, CodeType, Enum)
_HOLDERS: Final = frozenset({CellType, MethodType, functools.partial})
_unlike_all_others: Final = itertools.count()

# The ways to put objects of a type into the form. Plain numbers, because this is the hottest lookup.
_VALUE, _NUMBER, _CONSTANT_OBJECT, _DICTIONARY, _SEQUENCE, _HOLDER, _FUNCTION, _RELEVANT, _PROCESS, _OTHER = range(10)


class Unordered(tuple[object, ...]):
    """Objects whose order means nothing."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class State:
    """A state: its fingerprint, and its processes in an order that is the same for all runs in this state."""

    fingerprint: bytes
    processes: Sequence[Any]


def state(
    roots: Sequence[object],
    *,
    processes: tuple[type, ...],
    constant: tuple[type, ...] = (),
    under_way_in: Iterable[FrameType] = (),
) -> State:
    """Return the state that a run is in.

    Args:
        roots: objects from which everything that decides how the run continues can be reached.
        processes: the types of processes, which the state lists.
        constant: types whose objects never change.
        under_way_in: the frames of functions that are running.
    """
    form = _CanonicalForm(processes, _CONSTANT + constant)
    tokens = form.visit(roots)
    for frame in under_way_in:
        tokens += [id(frame.f_code), b"%d" % frame.f_lasti, *form.visit([frame.f_locals])]
    while form.unordered:
        things = form.unordered.pop()
        if len(things) > 1:
            things.sort(key=form.form_of)
        tokens += form.visit(things)
    digest = hashlib.blake2b(marshal.dumps(tokens, 2), digest_size=16).digest()
    return State(digest, form.processes)


def frames_under_way(inner: CodeType, outer: CodeType) -> list[FrameType]:
    """Return the frames between those of two code objects, innermost first, without those of the module of ``inner``.

    Frames inside ``inner`` only look at the run and are not part of it.
    """
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code is not inner:
        frame = frame.f_back
    frames = []
    scheduling = frame.f_globals if frame is not None else None
    while frame is not None and frame.f_code is not outer:
        if frame.f_globals is not scheduling:
            frames.append(frame)
        frame = frame.f_back
    return frames


class _CanonicalForm:
    """The form, which numbers visited objects; ``unordered`` holds objects to visit after all others."""

    def __init__(self, processes: tuple[type, ...], constant: tuple[type, ...]) -> None:
        self.processes: list[object] = []
        self.unordered: list[list[object]] = []
        self._ways = _ways(processes, constant)
        self._numbers: dict[int, int] = {}
        self._kept: list[object] = []

    def form_of(self, thing: object) -> bytes:
        """Return the form of one object, without keeping the numbers of objects that are only found there."""
        kept, processes, unordered = len(self._kept), len(self.processes), len(self.unordered)
        form = marshal.dumps(self.visit([thing]), 2)
        for numbered in self._kept[kept:]:
            del self._numbers[id(numbered)]
        del self.processes[processes:], self.unordered[unordered:]
        return form

    def visit(self, roots: Sequence[object]) -> list[Any]:
        """Assign a number to every reachable object without one, and return the tokens of all objects met."""
        tokens: list[Any] = []
        token = tokens.append
        numbers, ways, keep = self._numbers, self._ways, self._kept.append
        stack = list(roots)
        while stack:
            thing: Any = stack.pop()
            kind = type(thing)
            way = ways[kind]
            if way == _VALUE:
                token(thing)
                continue
            if way == _NUMBER:
                token(b"%d" % thing)
                continue
            identity = id(thing)
            number = numbers.get(identity)
            if number is not None:
                token(number)
                continue
            if way == _CONSTANT_OBJECT:
                token(-identity)
                continue
            numbers[identity] = len(numbers)
            keep(thing)  # No other object may get its identity.
            token(-id(kind))
            if way == _DICTIONARY:
                token(b"%d" % len(thing))
                if thing:
                    # The collector does not see keys that are strings.
                    stack += thing
                    stack += thing.values()
            elif way == _SEQUENCE:
                token(b"%d" % len(thing))
                stack += thing
            elif way == _HOLDER:
                stack += gc.get_referents(thing)
            elif way == _FUNCTION:
                token(-id(thing.__code__))
                stack += thing.__closure__ or ()
                stack += thing.__defaults__ or ()
            elif way == _OTHER:
                stack += _found_in(thing, kind, tokens)
            else:
                if way == _PROCESS:
                    self.processes.append(thing)
                for part in thing.relevant():
                    if type(part) is Unordered:
                        self.unordered.append(list(part))
                    else:
                        stack.append(part)
        return tokens


class _Ways(dict[type, int]):
    """The ways of the types met so far, given the types of processes and constants."""

    def __init__(self, processes: tuple[type, ...], constant: tuple[type, ...]) -> None:
        super().__init__()
        self._processes = processes
        self._constant = constant

    def __missing__(self, kind: type) -> int:
        way = self[kind] = self._way(kind)
        return way

    def _way(self, kind: type) -> int:
        if kind in _VALUES:
            return _VALUE
        if kind is int:
            return _NUMBER
        if issubclass(kind, self._constant):
            return _CONSTANT_OBJECT
        if kind in self._processes:
            return _PROCESS
        if hasattr(kind, "relevant"):
            return _RELEVANT
        if kind is dict:
            return _DICTIONARY
        if kind in _SEQUENCES:
            return _SEQUENCE
        if kind is FunctionType:
            return _FUNCTION
        if kind in _HOLDERS or kind.__module__.startswith(_OURS):
            return _HOLDER
        return _OTHER


_ways: Final = functools.cache(_Ways)


def _found_in(thing: Any, kind: type, tokens: list[Any]) -> list[Any]:
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
    if kind is BuiltinFunctionType:
        return [thing.__name__, thing.__self__]
    return [next(_unlike_all_others)]
