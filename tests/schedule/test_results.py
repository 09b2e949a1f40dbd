"""Sets of results as decision diagrams hold the same results as plain sets do."""

from __future__ import annotations

import pickle
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from modelcontext.ground.schedule.results import NO_RESULTS, Results, ResultSet

STREAMS = ("a", "b", "c")

#: A result: the sequence of each stream in their order, and the rest at the end.
Plain = tuple[tuple[tuple[Hashable, ...], ...], Hashable]

_OBSERVED = st.lists(st.tuples(st.sampled_from(STREAMS), st.integers(0, 1)), max_size=3)
#: How a set is made: it ends, observations come before it, or it is the union of several.
RECIPES: st.SearchStrategy[Any] = st.recursive(
    st.integers(0, 1),
    lambda smaller: st.one_of(st.tuples(_OBSERVED, smaller), st.lists(smaller, min_size=2, max_size=4)),
    max_leaves=12,
)


def cooked(recipe: Any, results: Results) -> int:
    match recipe:
        case int():
            return results.end(recipe)
        case observed, after:
            if isinstance(recipe, tuple):
                return results.before(observed, cooked(after, results))
    united = NO_RESULTS
    for part in recipe:
        united = results.union(united, cooked(part, results))
    return united


def plainly_cooked(recipe: Any) -> set[Plain]:
    if isinstance(recipe, int):
        return {(((), (), ()), recipe)}
    if isinstance(recipe, tuple):
        observed, after = recipe
        first = [tuple(item for stream, item in observed if stream == name) for name in STREAMS]
        return {
            (tuple((*one, *other) for one, other in zip(first, logs, strict=True)), left)
            for logs, left in plainly_cooked(after)
        }
    return set().union(*map(plainly_cooked, recipe))


def plain(streams: Mapping[str, Sequence[Hashable]], left: Hashable) -> Plain:
    return tuple(tuple(streams.get(name, ())) for name in STREAMS), left


def unfolded(found: ResultSet) -> list[Plain]:
    return [plain(*found.unfold(suffix)) for suffix in found]


@given(RECIPES)
def test_set_has_each_result_once_and_knows_how_many_there_are(recipe: Any) -> None:
    results = Results()
    found = results.of(cooked(recipe, results))
    expected = plainly_cooked(recipe)
    assert sorted(unfolded(found), key=repr) == sorted(expected, key=repr)
    assert len(found) == len(expected)


@given(RECIPES, RECIPES)
def test_equal_sets_have_one_number_and_different_sets_have_two(one: Any, other: Any) -> None:
    results = Results()
    is_one_number = cooked(one, results) == cooked(other, results)
    assert is_one_number == (plainly_cooked(one) == plainly_cooked(other))


@given(RECIPES, RECIPES)
def test_result_is_found_in_a_set_if_and_only_if_it_is_there(one: Any, other: Any) -> None:
    results = Results()
    found = results.of(cooked(one, results))
    results.of(cooked(other, results))
    there = plainly_cooked(one)
    for logs, left in there | plainly_cooked(other):
        suffix = found.find(dict(zip(STREAMS, logs, strict=True)), left)
        assert (suffix is not None) == ((logs, left) in there)
        if suffix is not None:
            assert suffix in found
            assert plain(*found.unfold(suffix)) == (logs, left)


@given(_OBSERVED, RECIPES)
def test_result_without_its_beginning_is_in_the_set_that_follows(observed: list[tuple[str, int]], recipe: Any) -> None:
    results = Results()
    after = cooked(recipe, results)
    rests = {results.without(observed, suffix) for suffix in results.of(results.before(observed, after))}
    assert rests == set(results.of(after))


@given(RECIPES, RECIPES)
def test_copy_of_a_set_has_the_same_results_and_nothing_of_other_sets(one: Any, other: Any) -> None:
    results = Results()
    number = cooked(one, results)
    before = pickle.dumps(results.of(number))
    cooked(other, results)
    copy = pickle.loads(before)
    assert list(copy) == list(results.of(number))
    assert unfolded(copy) == unfolded(results.of(number))


def test_copy_of_a_set_has_only_the_nodes_below_it() -> None:
    results = Results()
    small = results.end("rest")
    large = small
    for index in range(1_000):
        large = results.before([("a", index % 2)], large)
    assert len(pickle.dumps(results.of(small))) < len(pickle.dumps(results.of(large))) / 10


def test_a_million_results_are_counted_and_found_without_a_list_of_them() -> None:
    results = Results()
    number = results.end("rest")
    for _ in range(20):
        number = results.union(results.before([("a", 0)], number), results.before([("a", 1)], number))
    found = results.of(number)
    assert len(found) == 2**20
    assert found.find({"a": [0, 1] * 10}, "rest") in found
    assert found.find({"a": [0, 1] * 9}, "rest") is None


def test_logs_can_be_longer_than_calls_can_be_nested() -> None:
    results = Results()
    number = results.end("rest")
    for index in range(3_000):
        number = results.before([("a", index % 2)], number)
    number = results.before([("b", 0)], number)
    both = results.union(number, results.before([("a", 2), ("b", 0)], number))
    copy = pickle.loads(pickle.dumps(results.of(both)))
    assert len(copy) == 2
    assert sorted(len(letters) for _, letters in copy) == [3_001, 3_003]
