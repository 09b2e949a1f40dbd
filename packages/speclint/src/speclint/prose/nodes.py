"""The base of every node in the syntax tree of prose, places, and the types that prose names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


# The place in a source; the other one is in any file, and may have no column.
@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place in the source: line and column, both from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.line}:{self.column}"


# A node of the syntax tree, and not of a DOM tree or a schedule.
@dataclass(frozen=True, slots=True)
class Node:
    """A part of the syntax tree; ``place`` is where its words begin."""

    place: Place

    def walk(self) -> Iterator[Node]:
        """Yield this node and all nodes below it, in the order of their fields."""
        yield self
        for name in self.__dataclass_fields__:
            yield from _walk(getattr(self, name))


def _walk(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield from value.walk()
    elif isinstance(value, tuple):
        for part in value:
            yield from _walk(part)


def moved(value: object, lines: int) -> Any:
    """Return a node, or a tuple of nodes, as it would be some lines further down."""
    if isinstance(value, Place):
        return Place(value.line + lines, value.column)
    if isinstance(value, tuple):
        return tuple(moved(part, lines) for part in value)
    if isinstance(value, Node):
        return type(value)(*(moved(getattr(value, name), lines) for name in value.__dataclass_fields__))
    return value


# Types: what the introduction of an algorithm, the definition of an item, or a sentence says that something is.


@dataclass(frozen=True, slots=True)
class Type:
    """A type as prose names it: ``a list of origins`` is ``Type("list", (Type("origin"),))``.

    ``name`` is in the singular, and the phrasebook's name if it has one (``string``, ``origin``, ``Document``); a
    struct of the text has its own name, and an element has ``form element``. ``arguments`` are the types of items, or
    of keys and values; those of ``steps`` are the parameters. The keys of a ``map`` may have the name of an item,
    ``owner/item``. A type ``or`` has alternatives, and ``one of`` has strings as the names of its arguments.
    """

    name: str
    arguments: tuple[Type, ...] = ()
    may_be_null: bool = False


# As prose declares it, with a type; the other one is as Bikeshed builds it.
@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of an algorithm or a closure; ``type`` is None if prose does not say it (IDL, or nobody, does)."""

    name: str
    type: Type | None
    is_optional: bool = False
