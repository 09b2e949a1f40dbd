"""Matching: constraints, orders, optional calls, mocked answers, and a comparison with every order tried one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelcontext_agent.evals.matching import (
    MOST_STATES,
    ActualCall,
    CallGroup,
    Expected,
    ExpectedCall,
    Order,
    TooManyAlternativesError,
    UnknownOperatorError,
    difference,
    expected_calls,
    mismatch,
    mock_of,
)


def call(name: str, arguments: Any = None, **members: Any) -> ExpectedCall:
    return ExpectedCall(name, arguments, **members)


def ordered(*children: Expected) -> CallGroup:
    return CallGroup(Order.ORDERED, children)


def unordered(*children: Expected) -> CallGroup:
    return CallGroup(Order.UNORDERED, children)


def made(names: str) -> list[ActualCall]:
    return [ActualCall(name, {}) for name in names]


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        ({"$pattern": "^sen"}, "sencha"),
        ({"$pattern": "(?<kind>ch)a"}, "sencha"),
        ({"$contains": "nch"}, "sencha"),
        ({"$contains": 2}, [1, 2]),
        ({"$contains": {"$gt": 1}}, [1, 2]),
        ({"$gt": 1}, 2),
        ({"$gte": 2}, 2),
        ({"$lt": 2.5}, 2),
        ({"$lte": 2}, 2.0),
        ({"$gt": 1, "$lt": 3}, 2),
        ({"$type": "string"}, ""),
        ({"$type": "number"}, 0.5),
        ({"$type": "boolean"}, False),
        ({"$type": "array"}, []),
        ({"$type": "object"}, {}),
        ({"$type": "null"}, None),
        ({"$any": True}, {"deep": [None]}),
        ({"a": {"$any": True}, "b": [1, {"$type": "null"}]}, {"b": [1, None], "a": 0}),
        (1, 1.0),
        ({}, {}),
    ],
)
def test_value_that_is_as_expected_passes(expected: Any, actual: Any) -> None:
    assert difference(expected, actual) is None


@pytest.mark.parametrize(
    ("expected", "actual", "words"),
    [
        ({"$pattern": "^en"}, "sencha", 'arguments is "sencha", and not $pattern "^en"'),
        ({"$pattern": "1"}, 1, "arguments is 1, and not $pattern"),
        ({"$contains": 1}, "1", 'arguments is "1", and not $contains 1'),
        ({"$contains": 3}, [1, 2], "arguments is [1, 2], and not $contains 3"),
        ({"$gt": 2}, 2, "arguments is 2, and not $gt 2"),
        ({"$gt": 1}, "2", 'arguments is "2", and not $gt 1'),
        ({"$gt": 0}, True, "arguments is true, and not $gt 0"),
        ({"$gt": 1, "$lt": 3}, 3, "arguments is 3, and not $lt 3"),
        ({"$type": "number"}, True, 'arguments is true, and not $type "number"'),
        ({"$type": "object"}, [], 'arguments is [], and not $type "object"'),
        ({"a": 1, "b": 2}, {"a": 1}, "arguments lacks “b”"),
        ({"a": {"$any": True}}, {}, "arguments lacks “a”"),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, "arguments.a[1].b is 3, and not 2"),
        ([1, 2], [2, 1], "arguments[0] is 2, and not 1"),
        ([1], [1, 1], "arguments has 2 items, and not 1"),
        (1, True, "arguments is true, and not 1"),
        (False, 0, "arguments is 0, and not false"),
        ({}, [], "arguments is [], and not {}"),
        ({"$unheard": 1}, "anything", "arguments: the operator $unheard is unknown"),
        ({"$gt": 1, "plain": 2}, 3, "arguments is 3, and not"),
    ],
)
def test_value_that_is_not_as_expected_is_told_with_its_place(expected: Any, actual: Any, words: str) -> None:
    assert str(difference(expected, actual)).startswith(words)


@pytest.mark.parametrize(
    ("expected", "actual"),
    [({}, {"a": 1}), ({"a": 1}, {"a": 1, "b": 2}), ({"a": {}}, {"a": {"b": 1}}), ([{"a": 1}], [{"a": 1, "b": 2}])],
)
def test_object_that_is_expected_is_a_part_of_the_given_one(expected: Any, actual: Any) -> None:
    assert difference(expected, actual) is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"q": {"$patern": "x"}},
            "the operator “$patern” in the arguments of t.q is unknown; did you mean “$pattern”?",
        ),
        (
            {"q": {"$startsWith": "x", "$any": True}},
            "the operator “$startsWith” in the arguments of t.q is unknown; the op",
        ),
        (
            {"q": [{"$contains": {"$matches": 1}}]},
            "the operator “$matches” in the arguments of t.q[0].$contains is unknown",
        ),
    ],
)
@pytest.mark.parametrize("made", [[], [ActualCall("t", {"q": "x"})]])
def test_operator_that_is_unknown_is_named(arguments: Any, words: str, made: list[ActualCall]) -> None:
    with pytest.raises(UnknownOperatorError) as caught:
        mismatch(ExpectedCall("t", arguments, optional=True), made)
    assert str(caught.value).startswith(words)


def test_pattern_that_takes_for_ever_fails() -> None:
    assert difference({"$pattern": "^(a|a)*$"}, "a" * 40 + "b") is not None


@pytest.mark.parametrize(
    ("expected", "fits", "fails"),
    [
        (ordered(), [""], ["a"]),
        (ordered(call("a"), call("b")), ["ab"], ["", "a", "b", "ba", "abb", "aba"]),
        (unordered(call("a"), call("b")), ["ab", "ba"], ["a", "aa", "abb"]),
        (unordered(call("a"), call("a")), ["aa"], ["a", "aaa"]),
        (ordered(call("a", optional=True), call("b")), ["ab", "b"], ["ba", "a", "aab"]),
        (ordered(call("a"), call("b", optional=True)), ["ab", "a"], ["b", "ba"]),
        (ordered(unordered(call("a"), call("b")), call("c")), ["abc", "bac"], ["acb", "cab"]),
        (unordered(ordered(call("a"), call("b")), call("c")), ["abc", "acb", "cab"], ["bac", "ab", "cba"]),
        (
            unordered(ordered(call("a"), call("b")), ordered(call("c"), call("d"))),
            ["abcd", "acbd", "cdab"],
            ["bacd", "abdc"],
        ),
        # Which of the two leaves a call takes is decided by what follows.
        (unordered(ordered(call("a"), call("b")), call("a")), ["aab", "aba"], ["baa", "aa"]),
        (ordered(call("a", optional=True), call("a", optional=True), call("b")), ["b", "ab", "aab"], ["aaab"]),
    ],
)
def test_orders_permit_what_they_say_and_nothing_else(
    expected: Expected, fits: Sequence[str], fails: Sequence[str]
) -> None:
    assert [names for names in fits if mismatch(expected, made(names)) is not None] == []
    assert [names for names in fails if mismatch(expected, made(names)) is None] == []


def test_call_takes_the_leaf_whose_arguments_fit() -> None:
    expected = unordered(call("a", {"$any": True}), call("a", {"x": 1}))
    calls = [ActualCall("a", {"x": 1}), ActualCall("a", {"x": 2})]
    assert mismatch(expected, calls) is None
    assert mismatch(expected, calls[::-1]) is None


def test_equal_leaves_that_differ_as_booleans_and_numbers_are_not_confused() -> None:
    expected = unordered(call("a", {"x": 1}), call("a", {"x": True}))
    calls = [ActualCall("a", {"x": True}), ActualCall("a", {"x": 1})]
    assert mismatch(expected, calls) is None


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("", "after 0 calls the model makes no more calls; missing: a, b"),
        ("a", "after 1 call the model makes no more calls; missing: b"),
        ("ac", "call 2, c {}, is not expected: b is"),
        ("abb", "call 3, b {}, is not expected: no more calls are"),
    ],
)
def test_reason_says_which_call_is_wrong(names: str, words: str) -> None:
    assert mismatch(ordered(call("a"), call("b")), made(names)) == words


def test_reason_says_which_argument_is_wrong() -> None:
    said = mismatch(ordered(call("a", {"x": {"$gt": 1}})), [ActualCall("a", {"x": 1})])
    assert said == 'call 1, a {"x": 1}, is not expected: arguments.x is 1, and not $gt 1'


def test_many_equal_leaves_are_matched_at_once() -> None:
    assert mismatch(unordered(*[call("a") for _ in range(60)]), made("a" * 60)) is None


def test_too_many_alternatives_are_an_error_and_not_a_hang() -> None:
    leaves = [call("a", {"n": {"$gte": -number}}) for number in range(40)]
    calls = [ActualCall("a", {"n": 1})] * 40
    with pytest.raises(TooManyAlternativesError, match=f"{MOST_STATES:,}"):
        mismatch(unordered(*leaves), calls)


def test_mock_is_that_of_the_first_leaf_that_fits_and_is_free() -> None:
    expected = ordered(
        call("a", {"x": 1}, mock_output="one"), call("a", mock_output="any"), call("b"), call("c", mock_output=[0])
    )
    one, two = ActualCall("a", {"x": 1}), ActualCall("a", {"x": 2})
    assert mock_of(expected, [], one) == "one"
    assert mock_of(expected, [], two) == "any"
    assert mock_of(expected, [one], one) == "any"
    assert mock_of(expected, [one, two], one) == {}
    assert mock_of(expected, [], ActualCall("b", {})) == {}
    assert mock_of(expected, [], ActualCall("c", {"y": 0})) == [0]
    assert mock_of(ordered(call("a", {"x": 1}, mock_output="one")), [], two) == "one"


TREES: st.SearchStrategy[Expected] = st.recursive(
    st.builds(ExpectedCall, st.sampled_from("abc"), st.none(), st.booleans()),
    lambda nodes: st.builds(CallGroup, st.sampled_from(Order), st.lists(nodes, min_size=1, max_size=3)),
    max_leaves=5,
)


def words_of(expected: Expected) -> set[str]:
    """Return all sequences of calls that a tree permits, by trying each order of its children's sequences."""
    if isinstance(expected, ExpectedCall):
        return {expected.name, ""} if expected.optional else {expected.name}
    words = {""}
    for child in expected.children:
        tails = words_of(child)
        if expected.order is Order.ORDERED:
            words = {head + tail for head in words for tail in tails}
        else:
            words = {mixed for head in words for tail in tails for mixed in mixtures(head, tail)}
    return words


def mixtures(first: str, second: str) -> Iterator[str]:
    if not first or not second:
        yield first + second
        return
    yield from (first[0] + rest for rest in mixtures(first[1:], second))
    yield from (second[0] + rest for rest in mixtures(first, second[1:]))


@given(TREES, st.text("abc", max_size=5))
def test_match_is_the_one_found_by_trying_everything(expected: Expected, names: str) -> None:
    assert (mismatch(expected, made(names)) is None) == (names in words_of(expected))


@given(TREES)
def test_each_sequence_that_a_tree_permits_matches_it(expected: Expected) -> None:
    assert [names for names in words_of(expected) if mismatch(expected, made(names)) is not None] == []


@given(st.lists(st.sampled_from("abcd"), max_size=5))
def test_unordered_calls_match_in_every_order(names: list[str]) -> None:
    expected = unordered(*map(call, names))
    assert all(mismatch(expected, made("".join(order))) is None for order in set(permutations(names)))
    assert [leaf.name for leaf in expected_calls(expected)] == names


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text().filter(lambda key: key[:1] != "$"), values),
    max_leaves=8,
)


@given(JSON)
def test_value_without_constraints_expects_itself(value: Any) -> None:
    assert difference(value, value) is None
