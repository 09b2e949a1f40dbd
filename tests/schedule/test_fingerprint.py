"""Two states have the same fingerprint exactly if they have the same future."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from modelcontext.ground.schedule.fingerprint import Unordered, state
from modelcontext.platform.infra.ordered_map import OrderedMap
from modelcontext.platform.infra.random_uuid import RandomUUID


class Process:
    """A process with given relevant parts."""

    def __init__(self, *parts: object) -> None:
        self.parts = parts

    def relevant(self) -> tuple[object, ...]:
        return self.parts


class Bag:
    """A holder of objects whose order means nothing."""

    def __init__(self, *things: object) -> None:
        self.things = things

    def relevant(self) -> tuple[object, ...]:
        return (Unordered(self.things),)


def fingerprint(*roots: object) -> bytes:
    return state(roots, processes=(Process,)).fingerprint


def shared() -> list[list[int]]:
    inner = [1]
    return [inner, inner]


def ring(*values: int) -> list[Any]:
    made: list[Any] = [*values]
    made.append(made)
    return made


def counting(upto: int, advanced: int) -> Iterator[int]:
    def count() -> Iterator[int]:
        yield from list(range(upto))

    generator = count()
    for _ in range(advanced):
        next(generator)
    return generator


def closure(value: object) -> Callable[[], object]:
    return lambda: value


def instance(name: str, *slots: str) -> object:
    """Make an object of a new class of the package, with the given attributes."""
    made = type(name, (), {"__slots__": slots, "__module__": "modelcontext.made"})()
    for slot in slots:
        setattr(made, slot, 1)
    return made


def entries(**members: object) -> OrderedMap[str, object]:
    made: OrderedMap[str, object] = OrderedMap()
    for key, value in members.items():
        made.set(key, value)
    return made


@pytest.mark.parametrize(
    "make",
    [
        lambda: {"a": 1, "b": [None]},
        lambda: {1: "x"},
        shared,
        lambda: ring(1, 2),
        lambda: closure([1]),
        lambda: counting(3, 1),
        lambda: entries(a=1),
        lambda: deque([1, "1", 1.0, True]),
        lambda: Bag(Process(1), Process(2)),
        lambda: {"b", "a"},
    ],
)
def test_equal_objects_have_equal_fingerprints(make: Callable[[], object]) -> None:
    assert fingerprint(make()) == fingerprint(make())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": None}, {"b": None}),
        ({"a": [1]}, {"b": [1]}),
        ({1: None}, {2: None}),
        ({"a": 1, "b": 2}, {"a": 2, "b": 1}),
        ({}, {"a": None}),
        ([1], [True]),
        ([1], [1.0]),
        ([1], ["1"]),
        ([1, 2], [2, 1]),
        ([], ()),
        ([[1], [1]], shared()),
        ([1, [2]], [1, 2]),
        (ring(1), ring(2)),
        (closure(1), closure(2)),
        (counting(3, 1), counting(3, 2)),
        (counting(3, 1), counting(4, 1)),
        (entries(a=1), entries(b=1)),
        ({"a"}, {"b"}),
        (Bag(Process(1), Process(2)), Bag(Process(1), Process(1))),
        (object(), object()),
        (instance("One"), instance("Other")),
        (instance("One", "a"), instance("Other", "a")),
        (Process(instance("One"), 1), Process(1)),
    ],
)
def test_different_objects_have_different_fingerprints(one: object, other: object) -> None:
    assert fingerprint(one) != fingerprint(other)


def test_order_of_unordered_objects_does_not_change_the_fingerprint() -> None:
    common = [0]
    assert fingerprint(common, Bag(Process(1, common), Process(2))) == fingerprint(
        common, Bag(Process(2), Process(1, common))
    )


def test_processes_are_listed_in_the_same_order_in_every_run() -> None:
    one, other = Process("one"), Process("other")
    orders = [state([Bag(*things)], processes=(Process,)).processes for things in ((one, other), (other, one))]
    assert orders[0] == orders[1]
    assert set(map(id, orders[0])) == {id(one), id(other)}


def test_random_uuids_differ_by_what_holds_them_and_not_by_their_digits() -> None:
    one, other = RandomUUID.numbered(1), RandomUUID.numbered(2)
    assert one != other
    assert fingerprint([one, other]) == fingerprint([other, one])
    assert fingerprint([one, other]) != fingerprint([one, one])
    assert fingerprint([one]) != fingerprint([str(one)])
