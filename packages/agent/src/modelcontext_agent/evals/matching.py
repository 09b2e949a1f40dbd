"""The matching of calls against what an evaluation expects. Everything here is a value: no model, no page, no file.

What is expected is a tree. Its leaves are calls; an *ordered* node means its children one after the other, and an
*unordered* node means them in any order. Children of an unordered node may mix, each child keeping its own order: a model
that makes calls in parallel mixes them. The calls match when each of them is one leaf, all leaves that are not optional are
called, and no order is broken.

An object that is expected is a part of the object that is given: more members may be there, and ``{}`` fits each object.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

import regex

from modelcontext.ground.words import counted

#: The sets of leaves that a comparison looks at, at most. Only trees with very many alternatives need more.
MOST_STATES = 20_000
#: The seconds that one pattern may take on one string.
PATTERN_SECONDS = 1.0
#: The characters of a value that a message shows.
_SHOWN = 80


class TooManyAlternativesError(Exception):
    """Raised when there are too many ways to match the calls to look at all of them."""


class UnknownOperatorError(Exception):
    """Raised for a constraint that nobody knows: passing it by would make the evaluation pass."""


class Order(StrEnum):
    """The order in which the children of a node are called."""

    ORDERED = "ordered"
    UNORDERED = "unordered"


@dataclass(frozen=True, slots=True)
class ExpectedCall:
    """A call that is expected. ``arguments`` is a JSON value with constraints, or None where anything passes."""

    name: str
    arguments: Any = None
    optional: bool = False
    #: The answer to the call where no page answers.
    mock_output: Any = None
    #: True if the tool must be gone by then.
    gone: bool = False


@dataclass(frozen=True, slots=True)
class CallGroup:
    """Several expected calls or groups, and their order."""

    order: Order
    children: Sequence[Expected]


#: A node of the tree.
Expected = ExpectedCall | CallGroup


@dataclass(frozen=True, slots=True)
class ActualCall:
    """A call that a model made: the page's name of the tool, and a JSON value.

    ``absence`` says why there was no such tool, or not the one that the model was shown; it is empty where there was.
    """

    name: str
    arguments: Any
    absence: str = ""


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A leaf with the sets of leaves that come before it and after it, as bits."""

    call: ExpectedCall
    before: int
    after: int
    #: The leaves that are equal to this one in every respect and stand before it in the tree: they are taken first.
    twins: int


def mismatch(expected: Expected, calls: Sequence[ActualCall]) -> str | None:
    """Return why the calls are not those that are expected, in words, or None if they are.

    Raises:
        TooManyAlternativesError: if there are too many ways to match them.
        UnknownOperatorError: if an argument has a constraint that is unknown.
    """
    for leaf_call in expected_calls(expected):
        check_operators(leaf_call.arguments, f"the arguments of {leaf_call.name}")
    leaves = _leaves(expected)
    needed = sum(1 << index for index, leaf in enumerate(leaves) if not leaf.call.optional)
    # Each state is the set of leaves that have been called.
    states = {0}
    for number, call in enumerate(calls, start=1):
        fitting = sum(1 << index for index, leaf in enumerate(leaves) if _difference(leaf.call, call) is None)
        after = {
            state | 1 << index
            for state in states
            for index in _next(leaves, needed, state)
            if fitting & 1 << index and not leaves[index].twins & ~state
        }
        if len(after) > MOST_STATES:
            raise TooManyAlternativesError(f"there are more than {MOST_STATES:,} ways to match the calls")
        if not after:
            possible = [leaves[index].call for index in _union(_next(leaves, needed, state) for state in states)]
            return f"call {number}, {_in_words(call)}, is not expected: {_instead(call, possible)}"
        states = after
    if any(not needed & ~state for state in states):
        return None
    best = max(states, key=int.bit_count)
    missing = [leaf.call.name for index, leaf in enumerate(leaves) if (needed & ~best) >> index & 1]
    return f"after {_count(len(calls))} the model makes no more calls; missing: {', '.join(missing)}"


def mock_of(expected: Expected, made: Sequence[ActualCall], call: ActualCall) -> Any:
    """Return the answer that an evaluation gives to a call where no page answers.

    It is that of the first expected call, of those with this name, that no earlier call took and whose arguments match;
    if none does, of the first one that no earlier call took; else an empty object.
    """
    left = list(expected_calls(expected))
    for earlier in made:
        found = _best(left, earlier)
        if found is not None:
            left.remove(found)
    best = _best(left, call)
    return {} if best is None or best.mock_output is None else best.mock_output


def expected_calls(expected: Expected) -> Iterator[ExpectedCall]:
    """Yield the leaves of a tree, in order."""
    if isinstance(expected, ExpectedCall):
        yield expected
    else:
        for child in expected.children:
            yield from expected_calls(child)


def is_constraint(expected: Any) -> bool:
    """Return whether an expected value is a constraint: an object, not empty, whose keys all begin with ``$``."""
    return isinstance(expected, Mapping) and bool(expected) and all(key.startswith("$") for key in expected)


def check_operators(expected: Any, place: str) -> None:
    """Check that each constraint in an expected value is known.

    Raises:
        UnknownOperatorError: if one is not; the message names it and what it may mean.
    """
    if isinstance(expected, list):
        for index, item in enumerate(expected):
            check_operators(item, f"{place}[{index}]")
    if not isinstance(expected, Mapping):
        return
    for key, value in expected.items():
        if is_constraint(expected) and key not in CONSTRAINTS:
            close = get_close_matches(key, CONSTRAINTS, 1)
            hint = f"did you mean “{close[0]}”?" if close else f"the operators are {', '.join(CONSTRAINTS)}"
            raise UnknownOperatorError(f"the operator “{key}” in {place} is unknown; {hint}")
        check_operators(value, f"{place}.{key}")


def difference(expected: Any, actual: Any, place: str = "arguments") -> str | None:
    """Return where and why a JSON value is not as expected, in words, or None if it is."""
    if is_constraint(expected):
        for key, value in expected.items():
            if key not in CONSTRAINTS:
                return f"{place}: the operator {key} is unknown"
            if not CONSTRAINTS[key](value, actual):
                return f"{place} is {_shown(actual)}, and not {key} {_shown(value)}"
        return None
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        missing = next((key for key in expected if key not in actual), None)
        if missing is not None:
            return f"{place} lacks “{missing}”"
        members = (difference(value, actual[key], f"{place}.{key}") for key, value in expected.items())
        return next(filter(None, members), None)
    if isinstance(expected, list) and isinstance(actual, list):
        if len(expected) != len(actual):
            return f"{place} has {counted(len(actual), 'item')}, and not {len(expected)}"
        pairs = enumerate(zip(expected, actual, strict=True))
        items = (difference(value, other, f"{place}[{index}]") for index, (value, other) in pairs)
        return next(filter(None, items), None)
    if _equal(expected, actual):
        return None
    return f"{place} is {_shown(actual)}, and not {_shown(expected)}"


def _pattern(expected: Any, actual: Any) -> bool:
    try:
        return isinstance(actual, str) and bool(regex.search(expected, actual, timeout=PATTERN_SECONDS))
    except TimeoutError:
        return False


def _contains(expected: Any, actual: Any) -> bool:
    if isinstance(actual, str):
        return isinstance(expected, str) and expected in actual
    return isinstance(actual, list) and any(difference(expected, item) is None for item in actual)


def _compared(holds: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda expected, actual: _is_number(actual) and _is_number(expected) and holds(actual, expected)


#: The types of JSON values, by the names that ``$type`` takes.
TYPES: Mapping[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": lambda value: _is_number(value),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, Mapping),
    "null": lambda value: value is None,
}

#: The constraints: each tells whether the second value is as the first one demands.
CONSTRAINTS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$pattern": _pattern,
    "$contains": _contains,
    "$gt": _compared(lambda actual, bound: actual > bound),
    "$gte": _compared(lambda actual, bound: actual >= bound),
    "$lt": _compared(lambda actual, bound: actual < bound),
    "$lte": _compared(lambda actual, bound: actual <= bound),
    "$type": lambda expected, actual: TYPES[expected](actual),
    "$any": lambda expected, actual: True,
}


def _leaves(expected: Expected) -> list[_Leaf]:
    """Return the leaves of a tree with their order."""
    leaves: list[_Leaf] = []

    def add(node: Expected, before: int, twins: int = 0) -> int:
        """Add the leaves of a node, which come after ``before``, and return their set."""
        if isinstance(node, ExpectedCall):
            leaves.append(_Leaf(node, before, 0, twins))
            return 1 << len(leaves) - 1
        all_of_node = 0
        sets: dict[str, int] = {}
        for child in node.children:
            if node.order is Order.ORDERED:
                all_of_node |= add(child, before | all_of_node)
            else:
                # Equal calls without an order among them are taken in the order in which they are written.
                identity = _identity(child) if isinstance(child, ExpectedCall) else ""
                added = add(child, before, sets.get(identity, 0) if identity else 0)
                sets[identity] = added
                all_of_node |= added
        return all_of_node

    add(expected, 0)
    after = [
        sum(1 << later for later, other in enumerate(leaves) if other.before >> index & 1)
        for index in range(len(leaves))
    ]
    return [_Leaf(leaf.call, leaf.before, after[index], leaf.twins) for index, leaf in enumerate(leaves)]


def _next(leaves: Sequence[_Leaf], needed: int, state: int) -> list[int]:
    """Return the leaves that can be called after those of ``state``."""
    return [
        index
        for index, leaf in enumerate(leaves)
        if not (state >> index & 1 or leaf.after & state or leaf.before & needed & ~state)
    ]


def _union(sets: Iterator[list[int]]) -> list[int]:
    return sorted({index for indices in sets for index in indices})


def _difference(expected: ExpectedCall, call: ActualCall) -> str | None:
    if expected.name != call.name:
        return f"{expected.name} is expected"
    if bool(call.absence) != expected.gone:
        return call.absence or "its tool is still there"
    return None if expected.arguments is None else difference(expected.arguments, call.arguments)


def _identity(call: ExpectedCall) -> str:
    # Not by ==, for which 1 is True.
    return json.dumps([call.name, call.arguments, call.optional, call.gone])


def _best(left: Sequence[ExpectedCall], call: ActualCall) -> ExpectedCall | None:
    same = [expected for expected in left if expected.name == call.name]
    return next((expected for expected in same if _difference(expected, call) is None), same[0] if same else None)


def _instead(call: ActualCall, possible: Sequence[ExpectedCall]) -> str:
    """Return words for what could have been called."""
    if not possible:
        return "no more calls are"
    for expected in possible:
        if expected.name == call.name:
            return str(_difference(expected, call))
    return " or ".join(dict.fromkeys(expected.name for expected in possible)) + " is"


def _in_words(call: ActualCall) -> str:
    return f"{call.name} {_shown(call.arguments)}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _count(calls: int) -> str:
    return f"{calls} call" if calls == 1 else f"{calls} calls"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _equal(expected: Any, actual: Any) -> bool:
    """Return whether two values that are not both objects or both arrays are equal; a boolean is no number."""
    return isinstance(expected, bool) == isinstance(actual, bool) and bool(expected == actual)
