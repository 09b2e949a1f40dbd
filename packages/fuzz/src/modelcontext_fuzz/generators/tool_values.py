"""JavaScript values in the notation of programs: awkward ones far more often than in scripts of people.

Lists begin with ordinary values, because Hypothesis shrinks towards the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from hypothesis import strategies as st

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Value

Data = dict[str, Any]
T = TypeVar("T")

#: Values that JSON text cannot hold, or holds as something else.
NO_JSON: Sequence[Value] = (
    {"$js": "undefined"},
    {"$symbol": "s"},
    {"$bigint": "1"},
    {"$function": "f"},
    {"$cycle": "self"},
)
ODD_NUMBERS: Sequence[Value] = (
    {"$js": "NaN"}, {"$js": "Infinity"}, {"$js": "-Infinity"}, {"$js": "-0"}, 1e21, 5e-324, -1, 0.1, 2**53,
)  # fmt: skip
STRINGS: Sequence[Value] = (
    "a", "", 'a "quoted" \\ string', "\u2028", "é", "\U0001f600", "\u0000", "__proto__",
    {"$string": [0xD800]}, {"$string": [0x41, 0xDC00]}, {"$repeat": "x", "times": 200},
)  # fmt: skip
KEYS: Sequence[str] = ("a", "b", "toJSON", "__proto__", "1", "", "then", "type")
ERRORS: Sequence[Value] = ({"$error": "TypeError"}, {"$error": "AbortError"}, {"$error": "Error"})


def weighted(*choices: tuple[int, st.SearchStrategy[T]]) -> st.SearchStrategy[T]:
    """Return a strategy that draws from one of several, by weight."""
    slots = [index for index, (weight, _) in enumerate(choices) for _ in range(weight)]
    return st.sampled_from(slots).flatmap(lambda index: choices[index][1])


def primitives() -> st.SearchStrategy[Value]:
    """Return a strategy for primitives; symbols and bigints are in :data:`NO_JSON`."""
    plain: Sequence[Value] = (1, True, False, {"$js": "null"})
    return weighted(*((2, st.sampled_from(some)) for some in (plain, STRINGS, ODD_NUMBERS)))


def getters(returned: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    """Return a strategy for accessors, which only members can be."""
    return st.one_of(
        st.builds(lambda value: {"$getter": "g", "returns": value}, returned),
        st.sampled_from(ERRORS).map(lambda error: {"$getter": "g", "throws": error}),
        st.just({"$getter": "g", "throws": 1}),
    )


def _objects(inner: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    members = st.lists(
        st.tuples(st.sampled_from(KEYS), weighted((6, inner), (1, getters(inner)))).map(list),
        max_size=2,
        unique_by=lambda member: member[0],
    )
    return members.map(_as_table)


def _as_table(members: list[list[Value]]) -> Value:
    """Return a plain table, or an ``$object`` if a table would lose a key."""
    return dict(members) if all(key and key != "__proto__" for key, _ in members) else {"$object": members}


def objects() -> st.SearchStrategy[Value]:
    """Return a strategy for values of type Object."""
    leaves = weighted((4, primitives()), (1, st.sampled_from(NO_JSON)))
    return weighted(
        (4, _objects(leaves)),
        (2, st.lists(leaves, max_size=2)),
        (4, weighted((3, primitives()), (2, st.sampled_from(NO_JSON)), (1, _objects(leaves))).map(_with_to_json)),
        (2, st.one_of(st.sampled_from(ERRORS), st.just(1)).map(lambda thrown: {"$toJSON": {"$throw": thrown}})),
        (1, st.sampled_from(({"$cycle": "self"}, {"$error": "Error"}, {"$function": "f"}, {"$thenable": 1}))),
        (1, _objects(_objects(leaves))),
    )


def _with_to_json(value: Value) -> Value:
    return {"$toJSON": value}


def values() -> st.SearchStrategy[Value]:
    """Return a strategy for any value."""
    return weighted((4, primitives()), (3, st.sampled_from(NO_JSON)), (4, objects()), (1, st.sampled_from(ERRORS)))


def texts() -> st.SearchStrategy[Value]:
    """Return a strategy for any value to convert to a string, but functions: their text is implementation-defined."""
    return st.one_of(st.sampled_from(STRINGS), values().filter(lambda value: "$function" not in str(value)))
