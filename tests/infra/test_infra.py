"""Strings by UTF-16 code units, ordered maps, assertions."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelcontext.platform.infra.errors import SpecAssertionError, spec_assert
from modelcontext.platform.infra.lists import append_to_a_set, remove_from_a_list
from modelcontext.platform.infra.numbers import is_a_number, is_an_integer
from modelcontext.platform.infra.ordered_map import OrderedMap
from modelcontext.platform.infra.strings import (
    ascii_lowercase,
    code_unit_length,
    code_units,
    convert_to_a_scalar_value_string,
    from_code_units,
)

UNITS = st.lists(st.integers(0, 0xFFFF) | st.integers(0xD800, 0xDFFF), max_size=8)


@given(UNITS)
def test_string_of_code_units_has_these_code_units(units: list[int]) -> None:
    string = from_code_units(units)
    assert code_unit_length(string) == len(units)
    assert code_units(string) == b"".join(unit.to_bytes(2, "big") for unit in units)


@given(UNITS, UNITS)
def test_strings_are_ordered_by_code_units(left: list[int], right: list[int]) -> None:
    assert (code_units(from_code_units(left)) < code_units(from_code_units(right))) == (left < right)


def test_code_units_and_code_points_order_differently() -> None:
    assert sorted(["\uffff", "\U00010000"]) == ["\uffff", "\U00010000"]
    assert sorted(["\uffff", "\U00010000"], key=code_units) == ["\U00010000", "\uffff"]


@pytest.mark.parametrize(
    ("string", "scalar"),
    [("a", "a"), ("\ud800", "\ufffd"), ("\udc00\ud800", "\ufffd\ufffd"), ("\U0001f600\udfff", "\U0001f600\ufffd")],
)
def test_lone_surrogates_become_replacement_characters_in_scalar_value_strings(string: str, scalar: str) -> None:
    assert convert_to_a_scalar_value_string(string) == scalar


def test_ordered_map_keeps_the_place_of_a_key_that_is_set_again() -> None:
    map_: OrderedMap[str, int] = OrderedMap()
    for key, value in (("b", 1), ("a", 2), ("b", 3)):
        map_.set(key, value)
    assert map_.items() == [("b", 3), ("a", 2)]
    map_.remove("b")
    map_.remove("unknown")
    assert not map_.exists("b")
    map_.set("b", 4)
    assert map_.values() == [2, 4]
    assert (len(map_), map_["b"]) == (2, 4)


def test_values_of_an_ordered_map_are_a_copy() -> None:
    map_: OrderedMap[str, int] = OrderedMap()
    map_.set("a", 1)
    values = map_.values()
    map_.set("b", 2)
    assert values == [1]


def test_specification_assertion_error_is_not_an_exception() -> None:
    spec_assert(True, "holds")
    with pytest.raises(SpecAssertionError, match="does not hold"):
        spec_assert(False, "does not hold")
    assert not issubclass(SpecAssertionError, Exception)


@pytest.mark.parametrize(
    ("value", "is_number", "is_integer"),
    [
        (3, True, True),
        (-2.0, True, True),
        (0.5, True, False),
        (math.inf, True, False),
        (True, False, False),
        ("3", False, False),
    ],
)
def test_boolean_and_string_are_not_numbers(value: object, is_number: bool, is_integer: bool) -> None:
    assert (is_a_number(value), is_an_integer(value)) == (is_number, is_integer)


def test_ordered_set_keeps_the_place_of_an_item_that_it_has() -> None:
    items = ["a", "b"]
    append_to_a_set(items, "a")
    append_to_a_set(items, "c")
    assert items == ["a", "b", "c"]


def test_removing_from_a_list_removes_every_equal_item() -> None:
    items = ["a", "b", "a"]
    remove_from_a_list(items, "a")
    assert items == ["b"]


def test_ascii_lowercase_changes_no_other_letters() -> None:
    assert ascii_lowercase("AbC\u00c9\u0130") == "abc\u00c9\u0130"
