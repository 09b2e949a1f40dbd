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
from operator import attrgetter
from types import (
    BuiltinFunctionType,
    CellType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, Final

_OURS: Final = __name__.partition(".")[0] + "."
_ITERATORS: Final[frozenset[type]] = frozenset({type(iter([])), type(iter(())), type(iter(range(0))), enumerate})
_VALUES: Final = frozenset({str, float, bool, type(None)})
_SEQUENCES: Final = frozenset({list, tuple, deque})
#: Types whose objects never change; a process has one of each.
_CONSTANT: Final = (type, ModuleType, CodeType, Enum, MethodDescriptorType, WrapperDescriptorType)
_HOLDERS: Final = frozenset({MethodType, functools.partial})
_unlike_all_others: Final = itertools.count()
#: The classes met so far. A run can make classes, and none of them may get the identity of an earlier one.
_classes: Final[dict[int, type]] = {}

# The ways to put objects of a type into the form. Plain numbers, because this is the hottest lookup.
_VALUE, _NUMBER, _CONSTANT_OBJECT, _CELL, _DICTIONARY, _SEQUENCE, _HOLDER, _FUNCTION, _RELEVANT, _PROCESS, _OTHER = (
    range(11)
)


class Unordered(tuple[object, ...]):
    """Objects whose order means nothing."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class State:
    """A state: its fingerprint, and its processes in an order that is the same for all runs in this state.

    ``is_known`` is false if an object of an unknown type is reachable, so that the state equals no other.
    """

    fingerprint: bytes
    processes: Sequence[Any]
    is_known: bool = True


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
    first_unlike = next(_unlike_all_others)
    form = _CanonicalForm(processes, _CONSTANT + constant)
    tokens = form.visit(roots)
    for frame in under_way_in:
        tokens += [id(frame.f_code), b"%d" % frame.f_lasti, *form.visit([frame.f_locals])]
    while form.unordered:
        tokens += form.visit_unordered(form.unordered.pop())
    digest = hashlib.blake2b(marshal.dumps(tokens, 2), digest_size=16).digest()
    return State(digest, form.processes, next(_unlike_all_others) == first_unlike + 1)


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


@dataclass(frozen=True, slots=True)
class _Part:
    """The form of one of several unordered objects, with the objects that were numbered for it, and what was met there."""

    thing: object
    form: bytes
    kept: Sequence[object]
    processes: Sequence[object]
    unordered: Sequence[list[object]]


class _CanonicalForm:
    """The form, which numbers visited objects; ``unordered`` holds objects to visit after all others."""

    def __init__(self, processes: tuple[type, ...], constant: tuple[type, ...]) -> None:
        self.processes: list[object] = []
        self.unordered: list[list[object]] = []
        self._ways = _ways(processes, constant)
        self._numbers: dict[int, int] = {}
        self._kept: list[object] = []

    def visit_unordered(self, things: Sequence[object]) -> list[Any]:
        """Visit objects in an order that is the same for all runs in this state, and return their tokens."""
        if len(things) < 2:
            return self.visit(things)
        parts = sorted(map(self._part, things), key=attrgetter("form"))
        found = [one for part in parts for one in part.kept]
        if len(set(map(id, found))) < len(found):
            # Some objects can be reached from two of them, which their forms do not say.
            return self.visit([part.thing for part in parts])
        for one in found:
            self._numbers[id(one)] = len(self._numbers)
        for part in parts:
            self.processes += part.processes
            self.unordered += part.unordered
        return [part.form for part in parts]

    def _part(self, thing: object) -> _Part:
        """Return the form of one object, without keeping the numbers of objects that are only found there."""
        kept, processes, unordered = len(self._kept), len(self.processes), len(self.unordered)
        form = marshal.dumps(self.visit([thing]), 2)
        part = _Part(thing, form, self._kept[kept:], self.processes[processes:], self.unordered[unordered:])
        for numbered in part.kept:
            del self._numbers[id(numbered)]
        del self.processes[processes:], self.unordered[unordered:]
        return part

    def visit(self, roots: Sequence[object]) -> list[Any]:
        """Assign a number to every reachable object without one, and return the tokens of all objects met."""
        tokens: list[Any] = []
        token = tokens.append
        numbers, number_of, ways, keep = self._numbers, self._numbers.setdefault, self._ways, self._kept.append
        stack = list(roots)
        push = stack.append
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
            if way == _CONSTANT_OBJECT:
                token(-identity)
                if kind is type:
                    _classes[identity] = thing
                continue
            number = len(numbers)
            known = number_of(identity, number)
            if known != number:
                token(known)
                continue
            keep(thing)  # No other object may get its identity.
            token(-id(kind))
            if way == _CELL:
                try:
                    push(thing.cell_contents)
                except ValueError:
                    token(-1)
            elif way == _DICTIONARY:
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
                stack += (thing.__kwdefaults__ or {}).values()
                if thing.__dict__:
                    push(thing.__dict__)
            elif way == _OTHER:
                stack += _found_in(thing, kind, tokens)
            else:
                if way == _PROCESS:
                    self.processes.append(thing)
                for part in thing.relevant():
                    if type(part) is Unordered:
                        self.unordered.append(list(part))
                    else:
                        push(part)
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
        if kind is CellType:
            return _CELL
        if kind in _HOLDERS or kind.__module__.startswith(_OURS):
            return _HOLDER
        return _OTHER


_ways: Final = functools.cache(_Ways)


def _found_in(thing: Any, kind: type, tokens: list[Any]) -> list[Any]:
    if kind is GeneratorType:
        frame = thing.gi_frame
        tokens.append(b"%d" % (frame.f_lasti if frame is not None else -1))
        return [held for held in gc.get_referents(thing) if type(held) is not FrameType]
    if kind is CoroutineType:
        frame = thing.cr_frame
        tokens.append(b"%d" % (frame.f_lasti if frame is not None else -1))
        return [held for held in gc.get_referents(thing) if type(held) is not FrameType]
    if kind in _ITERATORS:
        _, arguments, *position = thing.__reduce__()
        return [*arguments, *position]
    if kind is range:
        return [thing.start, thing.stop, thing.step]
    if kind is bytes:
        return [thing.hex()]
    if kind is set or kind is frozenset:
        tokens.append(b"%d" % len(thing))
        return sorted(thing) if all(type(item) is str for item in thing) else [next(_unlike_all_others)]
    if kind is BuiltinFunctionType:
        return [thing.__name__, thing.__self__]
    return [next(_unlike_all_others)]
