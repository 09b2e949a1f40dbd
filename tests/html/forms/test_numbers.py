"""The microsyntaxes of numbers, at the boundaries that the standard draws."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelcontext.platform.ecmascript.json import number_to_string
from modelcontext.platform.html.forms.numbers import (
    best_representation_as_a_floating_point_number,
    is_a_valid_floating_point_number,
    rules_for_parsing_floating_point_number_values,
    rules_for_parsing_integers,
    rules_for_parsing_non_negative_integers,
)
from modelcontext.platform.infra.strings import split_on_commas, strip_newlines

HUGE = "9" * 5000


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("-0", 0),
        ("007", 7),
        ("-12", -12),
        ("+12", 12),
        (" \t\n\f\r5", 5),
        ("5 ", 5),
        ("5.9", 5),
        ("5e3", 5),
        ("5px", 5),
        ("", None),
        (" ", None),
        ("-", None),
        ("+", None),
        ("- 1", None),
        ("--1", None),
        ("+-1", None),
        ("x5", None),
        (".5", None),
        ("\v5", None),
        ("\u00a05", None),
        ("\u0665", None),
    ],
)
def test_integers_are_parsed_by_html_rules(text: str, number: int | None) -> None:
    assert rules_for_parsing_integers(text) == number
    assert rules_for_parsing_non_negative_integers(text) == (None if number is None or number < 0 else number)


def test_integer_has_as_many_digits_as_it_likes() -> None:
    assert rules_for_parsing_integers(HUGE) == 10**5000 - 1
    assert rules_for_parsing_non_negative_integers(f"-{HUGE}") is None


@pytest.mark.parametrize(
    ("text", "number", "valid"),
    [
        ("0", "0", True),
        ("-0", "0", True),
        ("1", "1", True),
        ("-1", "-1", True),
        ("007", "7", True),
        ("1.5", "1.5", True),
        (".5", "0.5", True),
        ("-.5", "-0.5", True),
        ("1e2", "100", True),
        ("1E2", "100", True),
        ("1e+2", "100", True),
        ("1e-2", "0.01", True),
        ("1.5e3", "1500", True),
        (".5e1", "5", True),
        ("0.1", "0.1", True),
        ("1e-400", "0", True),
        ("4.9e-324", "5e-324", True),
        ("1.7976931348623157e308", "1.7976931348623157e308", True),
        ("1.7976931348623158e308", "1.7976931348623157e308", True),
        ("9007199254740993", "9007199254740992", True),
        ("0.1000000000000000055511151231257827", "0.1", True),
        (HUGE, None, True),
        ("1.7976931348623159e308", None, True),
        ("1e400", None, True),
        ("-1e400", None, True),
        ("1e99999999999999999999", None, True),
        ("0e99999999999999999999", "0", True),
        ("+1", "1", False),
        (" 1", "1", False),
        ("1 ", "1", False),
        ("1.", "1", False),
        ("1.x", "1", False),
        ("1.e2", "100", False),
        ("1.e", "1", False),
        ("1e", "1", False),
        ("1e+", "1", False),
        ("1ex", "1", False),
        ("1,5", "1", False),
        ("1.5.5", "1.5", False),
        ("0x10", "0", False),
        ("1-1", "1", False),
        ("+.5", "0.5", False),
        ("", None, False),
        (".", None, False),
        ("-", None, False),
        ("-.", None, False),
        (".e5", None, False),
        ("e5", None, False),
        ("--1", None, False),
        ("+-1", None, False),
        ("- 1", None, False),
        ("NaN", None, False),
        ("Infinity", None, False),
        ("\u00bd", None, False),
        ("\u0661", None, False),
        ("1\n", "1", False),
    ],
)
def test_floating_point_numbers_are_parsed_and_valid_by_html_rules(text: str, number: str | None, valid: bool) -> None:
    assert rules_for_parsing_floating_point_number_values(text) == (None if number is None else Fraction(number))
    assert is_a_valid_floating_point_number(text) is valid


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(1, 10), "0.1"),
        (Fraction(-3, 2), "-1.5"),
        (Fraction(1, 3), "0.3333333333333333"),
        (Fraction(10**20), "100000000000000000000"),
        (Fraction(10**21), "1e+21"),
        (Fraction(1, 10**6), "0.000001"),
        (Fraction(1, 10**7), "1e-7"),
        (Fraction(1, 10**400), "0"),
        (Fraction(-1, 10**400), "0"),
        (Fraction(10**400), "1.7976931348623157e+308"),
        (Fraction(-(10**400)), "-1.7976931348623157e+308"),
        (Fraction(2**53 + 1), "9007199254740992"),
    ],
)
def test_numbers_are_represented_as_ecmascript_does(number: Fraction, text: str) -> None:
    assert best_representation_as_a_floating_point_number(number) == text
    assert is_a_valid_floating_point_number(text)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_parsing_the_representation_of_a_double_gives_the_double(double: float) -> None:
    text = number_to_string(double)
    assert is_a_valid_floating_point_number(text)
    number = rules_for_parsing_floating_point_number_values(text)
    assert number is not None
    assert float(number) == double
    assert best_representation_as_a_floating_point_number(number) == text


@given(
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**15), max_value=10**15, places=0),
    st.integers(0, 9),
)
def test_a_decimal_of_fifteen_digits_is_parsed_exactly(digits: object, places: int) -> None:
    exact = Fraction(str(digits)) / 10**places
    assert rules_for_parsing_floating_point_number_values(f"{digits}e-{places}") == exact


@given(st.text(alphabet="0159+-.eE x\n"))
def test_a_valid_floating_point_number_is_parsed_whole(text: str) -> None:
    number = rules_for_parsing_floating_point_number_values(text)
    if is_a_valid_floating_point_number(text):
        assert (number is None) == math.isinf(float(text))
        assert number is None or float(number) == float(text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", []),
        (",", [""]),
        (",,", ["", ""]),
        ("a", ["a"]),
        ("a,", ["a"]),
        (",a", ["", "a"]),
        (" a b ,\tc\n", ["a b", "c"]),
        ("\u00a0a,b", ["\u00a0a", "b"]),
    ],
)
def test_splitting_on_commas_strips_tokens_and_ends_with_the_last_comma(text: str, tokens: list[str]) -> None:
    assert split_on_commas(text) == tokens


def test_only_line_feeds_and_carriage_returns_are_newlines() -> None:
    assert strip_newlines("\r\na\nb\r c\u2028\x85\v\f") == "ab c\u2028\x85\v\f"
