"""Words that stand for something before them: "it", "its", "any item of"; they are gone from a finished tree.

"It" is the subject of the last condition before it in the same sentence, or the value that a condition is about ("x if it
exists"). A sentence in which there is none has no reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar, cast

from speclint.prose.phrasebook import phrase_of
from speclint.prose.phrasebook.phrase import Phrase
from speclint.prose.tree import (
    And,
    AnyOf,
    Call,
    Conditional,
    EachOf,
    Exists,
    Expression,
    First,
    If,
    Is,
    IsGiven,
    Node,
    Not,
    Or,
    OtherwiseIf,
    Place,
    Run,
    Term,
    TheItem,
    While,
)

_Node = TypeVar("_Node")


@dataclass(frozen=True, slots=True)
class It(Node):
    """The word "it" or "its"; ``what`` is "value" for "its value" and "one" for "has one"."""

    what: str = ""


@dataclass(frozen=True, slots=True)
class AnyItem(Node):
    """``any item of`` a collection, in a condition."""

    collection: Expression


class UnknownReferenceError(Exception):
    """An "it" to which nothing before it in the sentence corresponds."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.place = place


def any_item_in(node: object) -> AnyItem | None:
    """Return the "any item of" in an expression."""
    return next((one for one in _nodes(node) if isinstance(one, AnyItem)), None)


def _nodes(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield value
        for one in fields(value):
            yield from _nodes(getattr(value, one.name))
    elif isinstance(value, tuple):
        for part in value:
            yield from _nodes(part)


def with_the_item(node: _Node, item: AnyItem) -> _Node:
    """Return a node in which "the item" stands for "any item of"."""
    return cast("_Node", _replaced(node, item))


def _replaced(value: object, item: AnyItem) -> object:
    if value is item or value == item:
        return TheItem(item.place)
    if isinstance(value, Node):
        changes: dict[str, Any] = {one.name: _replaced(getattr(value, one.name), item) for one in fields(value)}
        return replace(value, **changes)
    if isinstance(value, tuple):
        return tuple(_replaced(part, item) for part in value)
    return value


def subject_of(condition: object) -> object:
    """Return the subject of a condition, or None if it has none."""
    if isinstance(condition, Not):
        return subject_of(condition.condition)
    if isinstance(condition, Is):
        return condition.left
    if isinstance(condition, Exists):
        return condition.entry
    if isinstance(condition, IsGiven):
        return condition.parameter
    if isinstance(condition, Call) and condition.phrase.kind == "test":
        first = next(iter(condition.phrase.slots))
        return condition.arguments[condition.phrase.parameters.index(first)]
    if isinstance(condition, And | Or):
        subjects = [subject_of(one) for one in condition.conditions]
        return subjects[-1]
    if isinstance(condition, Run | Term):
        return condition.arguments[0] if condition.arguments else None
    return None


@dataclass(frozen=True, slots=True)
class _Before:
    """Antecedents of "it": the subject of the last condition, and that condition; ``known`` are those found before."""

    known: dict[It, object]
    subject: object = None
    condition: object = None


def without_references(node: _Node) -> _Node:
    """Return statements of a sentence in which everything that "it" stands for is in its place.

    Raises:
        UnknownReferenceError: if there is an "it" that stands for nothing.
    """
    return cast("_Node", _resolved(node, _Before({}))[0])


def _resolved(value: object, before: _Before) -> tuple[Any, _Before]:
    if isinstance(value, It):
        # One word stands for one thing, also if alternatives behind it have it several times in the tree.
        if value not in before.known:
            before.known[value] = _antecedent(value, before)
        return before.known[value], before
    if isinstance(value, tuple):
        parts = []
        for part in value:
            one, before = _resolved(part, before)
            parts.append(one)
        return tuple(parts), before
    if not isinstance(value, Node):
        return value, before
    if isinstance(value, Conditional):
        chosen, _ = _resolved(value.value, before)
        condition, after = _resolved(value.condition, _Before(before.known, chosen))
        alternative, _ = _resolved(value.alternative, after)
        return replace(value, condition=condition, value=chosen, alternative=alternative), before
    if isinstance(value, And | Or):
        conditions, after = _resolved(value.conditions, before)
        return replace(value, conditions=conditions), after
    if isinstance(value, If | OtherwiseIf | While):
        condition, after = _resolved(value.condition, _Before(before.known))
        body, _ = _resolved(value.body, after)
        return replace(value, condition=condition, body=body), before
    if isinstance(value, AnyOf | EachOf | First):
        return _fields(value, before), before
    found = _fields(value, before)
    subject = subject_of(found)
    return found, _Before(before.known, subject, found) if subject is not None else before


def _fields(value: Node, before: _Before) -> Node:
    changes: dict[str, Any] = {}
    for one in fields(value):
        part = getattr(value, one.name)
        if not isinstance(part, Phrase):
            changes[one.name] = _resolved(part, before)[0]
    return replace(value, **changes)


def _antecedent(it: It, before: _Before) -> object:
    if it.what == "one" and isinstance(before.subject, Call) and before.subject.phrase.exists:
        return _other(before.subject, before.subject.phrase.exists)
    if it.what == "value":
        condition = before.condition.condition if isinstance(before.condition, Not) else before.condition
        if isinstance(condition, Call) and condition.phrase.its_value:
            return _other(condition, condition.phrase.its_value)
    if it.what or before.subject is None:
        raise UnknownReferenceError(it.place)
    return before.subject


def _other(call: Call, verb: str) -> Call:
    """Return the use of another phrase with the same slots."""
    return Call(call.place, phrase_of(verb), call.arguments)
