"""The states of input elements: keywords, what applies, sanitization, numbers, ranges and steps."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelcontext.platform.html.forms.control_facts import InputFacts
from modelcontext.platform.html.forms.dates import MILLISECONDS_PER_DAY
from modelcontext.platform.html.forms.input_numbers import (
    allowed_value_step,
    convert_a_string_to_a_number,
    has_a_reversed_range,
    is_an_integral_number_of_steps,
    maximum,
    minimum,
    nearest_step,
    number_of,
    step_base,
)
from modelcontext.platform.html.forms.input_types import (
    ATTRIBUTE_APPLIES,
    InputType,
    ValueMode,
    applies,
    applies_to_an_element,
    input_type,
    value_mode,
)
from modelcontext.platform.html.forms.sanitization import value_sanitization_algorithm
from tests.html.forms.generated_controls import Control, a_value, controls
from tests.html.forms.number_strings import convert_a_number_to_a_string

if TYPE_CHECKING:
    import random

TEMPORAL = (InputType.DATE, InputType.MONTH, InputType.WEEK, InputType.TIME, InputType.DATETIME_LOCAL)

#: The table of https://html.spec.whatwg.org/#input-type-attr-summary, a column for each state.
APPLIES = {
    "hidden": "",
    "text": "maxlength minlength pattern readonly required",
    "search": "maxlength minlength pattern readonly required",
    "url": "maxlength minlength pattern readonly required",
    "tel": "maxlength minlength pattern readonly required",
    "email": "maxlength minlength multiple pattern readonly required",
    "password": "maxlength minlength pattern readonly required",
    "date": "max min readonly required step",
    "month": "max min readonly required step",
    "week": "max min readonly required step",
    "time": "max min readonly required step",
    "datetime-local": "max min readonly required step",
    "number": "max min readonly required step",
    "range": "max min step",
    "color": "",
    "checkbox": "checked required",
    "radio": "checked required",
    "file": "multiple required",
    "submit": "",
    "image": "",
    "reset": "",
    "button": "",
}


def sanitized(type: str, value: str, /, **attributes: str) -> str:
    return value_sanitization_algorithm(InputFacts(type=InputType(type), value=value, attributes=attributes))


def made(type: str, /, **attributes: str) -> InputFacts:
    return InputFacts(type=InputType(type), attributes=attributes)


@pytest.mark.parametrize("keyword", list(InputType))
def test_every_keyword_gives_its_state_in_any_case(keyword: str) -> None:
    assert input_type(keyword) == input_type(keyword.upper()) == keyword


@pytest.mark.parametrize("attribute", [None, "", "x", "text ", " text", "datetime", "TE\u017ft", "chec\u212abox"])
def test_any_other_type_is_text(attribute: str | None) -> None:
    assert input_type(attribute) is InputType.TEXT


@pytest.mark.parametrize("type", list(InputType))
def test_attributes_apply_as_the_table_of_the_standard_says(type: InputType) -> None:
    assert [name for name in sorted(ATTRIBUTE_APPLIES) if applies(name, type)] == APPLIES[type].split()


def test_every_state_has_a_value_mode() -> None:
    modes = {mode: {type.value for type in InputType if value_mode(type) is mode} for mode in ValueMode}
    assert modes[ValueMode.DEFAULT] == {"hidden", "submit", "image", "reset", "button"}
    assert modes[ValueMode.DEFAULT_ON] == {"checkbox", "radio"}
    assert modes[ValueMode.FILENAME] == {"file"}
    assert len(modes[ValueMode.VALUE]) == len(InputType) - 8


@pytest.mark.parametrize(
    ("type", "value", "expected"),
    [
        ("text", " a\r\nb ", " ab "),
        ("search", "a\rb", "ab"),
        ("tel", "\n+49 1", "+49 1"),
        ("password", " x ", " x "),
        ("url", " \nhttps://a.test/\n x\t", "https://a.test/ x"),
        ("email", "\ta@b \n", "a@b"),
        ("email", "a@b , c@d", "a@b , c@d"),
        ("hidden", "a\nb ", "a\nb "),
        ("checkbox", "a\nb ", "a\nb "),
        ("submit", "a\nb ", "a\nb "),
        ("date", "2024-02-29", "2024-02-29"),
        ("date", " 2024-02-29", ""),
        ("date", "2023-02-29", ""),
        ("month", "2023-12", "2023-12"),
        ("month", "2023-13", ""),
        ("week", "2020-W53", "2020-W53"),
        ("week", "2021-W53", ""),
        ("time", "23:59:00.000", "23:59:00.000"),
        ("time", "23:59:00.0000", ""),
        ("time", "24:00", ""),
        ("datetime-local", "2023-01-02 03:04:00.0", "2023-01-02T03:04"),
        ("datetime-local", "2023-01-02T03:04:00.0000", ""),
        ("datetime-local", "2023-01-02", ""),
        ("number", "1E5", "1E5"),
        ("number", "-0", "-0"),
        ("number", "+1", ""),
        ("number", "1.", ""),
        ("number", " 1", ""),
        ("range", "", "50"),
        ("range", "x", "50"),
        ("range", "7", "7"),
        ("range", "7.0", "7.0"),
        ("range", "7.4", "7"),
        ("range", "7.5", "8"),
        ("range", "-1", "0"),
        ("range", "101", "100"),
        ("range", "1e400", "1e400"),
        ("color", "#AbCdEf", "#abcdef"),
        ("color", "#abc", "#aabbcc"),
        ("color", "#12345678", "#123456"),
        ("color", " RebeccaPurple ", "#663399"),
        ("color", "rgb(127.5 0 300)", "#8000ff"),
        ("color", "hsl(120deg 50% 50% / 10%)", "#40bf40"),
        ("color", "color(display-p3 1 0 0)", "#ff0000"),
        ("color", "", "#000000"),
        ("color", "#12345", "#000000"),
        ("color", "currentcolor", "#000000"),
        ("color", "color(--hsl 120 50% 50%)", "#000000"),
        ("color", "\u212ahaki", "#000000"),
    ],
)
def test_value_is_sanitized(type: str, value: str, expected: str) -> None:
    assert sanitized(type, value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("a@b , c@d", "a@b,c@d"),
        (" a ", "a"),
        ("a,", "a"),
        (",a", ",a"),
        ("a,,b", "a,,b"),
        (",,", ","),
        ("a\nb", "a\nb"),
    ],
)
def test_several_addresses_are_split_on_commas(value: str, expected: str) -> None:
    assert sanitized("email", value, multiple="") == expected


@pytest.mark.parametrize(
    ("attributes", "value", "expected"),
    [
        ({"min": "10", "max": "20"}, "", "15"),
        ({"min": "10", "max": "21"}, "", "16"),
        ({"min": "10", "max": "21", "step": "any"}, "", "15.5"),
        ({"min": "10", "max": "5"}, "", "10"),
        ({"min": "10", "max": "5"}, "3", "10"),
        ({"min": "10", "max": "5"}, "20", "20"),
        ({"min": "200"}, "", "200"),
        ({"max": "-1"}, "", "0"),
        ({"min": "0", "max": "10", "step": "4"}, "10", "8"),
        ({"min": "0", "max": "10", "step": "20"}, "10", "0"),
        ({"min": "1", "max": "10", "step": "4"}, "3", "5"),
        ({"min": "0.1", "max": "1", "step": "0.2"}, "0.4", "0.5"),
        ({"value": "3", "max": "10", "step": "20"}, "8", "3"),
        ({"value": "3", "max": "10", "step": "5"}, "0", "3"),
        ({"value": "3", "max": "2", "step": "20"}, "1", "1"),
        ({"value": "3", "max": "2", "step": "20"}, "5", "2"),
        ({"step": "0.1"}, "0.25", "0.3"),
        ({"step": "0.1"}, "0.3", "0.3"),
        ({"min": "1.7e308", "max": "0", "step": "1.7e308"}, "1.75e308", "1.7e+308"),
        ({"min": "1.7e308", "max": "0", "step": "1e307"}, "1.797e308", "1.7976931348623157e+308"),
    ],
)
def test_value_of_a_range_is_corrected(attributes: dict[str, str], value: str, expected: str) -> None:
    assert sanitized("range", value, **attributes) == expected


@given(st.sampled_from(controls(22 * 200, seed=3)), st.text() | st.none())
def test_sanitization_of_a_sanitized_value_changes_nothing_but_trailing_commas(
    control: Control, text: str | None
) -> None:
    value = control.value if text is None else text
    facts = InputFacts(type=control.type, attributes=control.attributes, value=value)
    once = value_sanitization_algorithm(facts)
    twice = value_sanitization_algorithm(replace(facts, value=once))
    # A defect of the standard: "," is the value of two empty addresses, and sanitized again of one.
    is_list = facts.type is InputType.EMAIL and facts.has("multiple")
    assert twice == (once.removesuffix(",") if is_list else once)


@pytest.mark.parametrize(
    ("type", "text", "number"),
    [
        ("date", "1970-01-01", 0),
        ("date", "1969-12-31", -MILLISECONDS_PER_DAY),
        ("date", "2001-09-09", 999_993_600_000),
        ("date", "0001-01-01", -62_135_596_800_000),
        ("date", "275760-09-13", 8_640_000_000_000_000),
        ("month", "1970-01", 0),
        ("month", "1969-12", -1),
        ("month", "2000-02", 361),
        ("week", "1970-W01", -3 * MILLISECONDS_PER_DAY),
        ("week", "1970-W02", 4 * MILLISECONDS_PER_DAY),
        ("week", "2020-W53", 1_609_113_600_000),
        ("time", "00:00", 0),
        ("time", "23:59:59.999", MILLISECONDS_PER_DAY - 1),
        ("time", "00:00:00.0005", Fraction(1, 2)),
        ("datetime-local", "1970-01-01T00:00", 0),
        ("datetime-local", "1969-12-31 23:59:59.9", -100),
        ("number", " +1.5x", Fraction(3, 2)),
        ("range", "1e2", 100),
        ("number", "x", None),
        ("date", "x", None),
        ("month", "x", None),
        ("week", "x", None),
        ("time", "x", None),
        ("datetime-local", "x", None),
        ("text", "1", None),
        ("color", "#000000", None),
    ],
)
def test_string_is_converted_to_a_number(type: str, text: str, number: Fraction | int | None) -> None:
    assert convert_a_string_to_a_number(InputType(type), text) == number


@given(st.integers(-70_000_000_000_000, 9_000_000_000_000_000))
def test_number_converted_to_a_string_and_back_is_the_number_in_whole_units(milliseconds: int) -> None:
    units = {
        InputType.DATE: MILLISECONDS_PER_DAY,
        InputType.WEEK: 7 * MILLISECONDS_PER_DAY,
        InputType.DATETIME_LOCAL: 1,
        InputType.MONTH: 1,
    }
    for type, unit in units.items():
        text = convert_a_number_to_a_string(type, Fraction(milliseconds))
        if text is None:
            assert milliseconds < (-1969 * 12 if type is InputType.MONTH else -62_135_596_800_000)
            continue
        number = convert_a_string_to_a_number(type, text)
        assert number is not None
        assert 0 <= milliseconds - number < unit
        assert value_sanitization_algorithm(InputFacts(type=type, value=text)) == text
    text = convert_a_number_to_a_string(InputType.TIME, Fraction(milliseconds % MILLISECONDS_PER_DAY))
    assert text is not None
    assert convert_a_string_to_a_number(InputType.TIME, text) == milliseconds % MILLISECONDS_PER_DAY


def test_time_of_day_ends_with_the_day() -> None:
    assert convert_a_number_to_a_string(InputType.TIME, Fraction(MILLISECONDS_PER_DAY)) is None
    assert convert_a_number_to_a_string(InputType.TIME, Fraction(-1)) is None
    assert convert_a_number_to_a_string(InputType.TEXT, Fraction(0)) is None
    assert convert_a_number_to_a_string(InputType.NUMBER, Fraction(-1, 4)) == "-0.25"


@pytest.mark.parametrize(
    ("type", "step", "expected"),
    [
        ("number", None, 1),
        ("number", "0.1", Fraction(1, 10)),
        ("number", " +2x", 2),
        ("number", "any", None),
        ("number", "ANY", None),
        ("number", "any ", 1),
        ("number", "", 1),
        ("number", "0", 1),
        ("number", "-1", 1),
        ("number", "x", 1),
        ("number", "1e400", 1),
        ("number", "1e-400", 1),
        ("range", "3", 3),
        ("date", None, MILLISECONDS_PER_DAY),
        ("date", "1.5", Fraction(3, 2) * MILLISECONDS_PER_DAY),
        ("month", "2", 2),
        ("week", "2", 14 * MILLISECONDS_PER_DAY),
        ("time", None, 60_000),
        ("time", "0", 60_000),
        ("time", "0.001", 1),
        ("datetime-local", None, 60_000),
        ("datetime-local", "1", 1000),
        ("text", "1", None),
        ("color", None, None),
    ],
)
def test_allowed_value_step(type: str, step: str | None, expected: Fraction | int | None) -> None:
    attributes = {} if step is None else {"step": step}
    assert allowed_value_step(made(type, **attributes)) == expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        (made("number"), 0),
        (made("number", min="2"), 2),
        (made("number", value="3"), 3),
        (made("number", min="2", value="3"), 2),
        (made("number", min="x", value="3"), 3),
        (made("number", min="x", value="y"), 0),
        (made("number", max="5"), 0),
        (made("week"), -259_200_000),
        (made("week", min="1970-W02"), 4 * MILLISECONDS_PER_DAY),
        (made("date"), 0),
        (made("time", min="00:00:01"), 1000),
    ],
)
def test_step_base(facts: InputFacts, expected: int) -> None:
    assert step_base(facts) == expected


def test_range_has_default_bounds_and_no_other_state_has() -> None:
    for facts, bounds in (
        (made("range"), (0, 100)),
        (made("range", min="x", max="x"), (0, 100)),
        (made("range", min="-5", max="1e3"), (-5, 1000)),
    ):
        assert minimum(facts) == bounds[0]
        assert maximum(facts) == bounds[1]
    for type in (*TEMPORAL, InputType.NUMBER):
        assert minimum(made(type)) is None
        assert maximum(made(type)) is None
    assert minimum(made("text", min="1")) is None


def test_only_a_time_has_a_reversed_range() -> None:
    assert has_a_reversed_range(made("time", min="22:00", max="06:00"))
    assert not has_a_reversed_range(made("time", min="06:00", max="06:00"))
    assert not has_a_reversed_range(made("time", min="22:00"))
    assert not has_a_reversed_range(made("number", min="22", max="6"))


DECIMALS = st.builds(
    lambda digits, places: Fraction(digits, 10**places), st.integers(-(10**8), 10**8), st.integers(0, 6)
)


def text_of(number: Fraction) -> str:
    return f"{float(number):.6f}"


@given(DECIMALS, DECIMALS, st.integers(1, 10**6), st.integers(0, 6), st.integers(-1000, 1000))
def test_steps_are_exact_rational_arithmetic(
    value: Fraction, base: Fraction, digits: int, places: int, steps: int
) -> None:
    step = Fraction(digits, 10**places)
    attributes = {"min": text_of(base), "step": text_of(step)}
    on_grid = InputFacts(type=InputType.NUMBER, value=text_of(base + steps * step), attributes=attributes)
    number = number_of(on_grid)
    assert number is not None
    assert is_an_integral_number_of_steps(on_grid, number)
    anywhere = replace(on_grid, value=text_of(value))
    number = number_of(anywhere)
    assert number == value
    assert is_an_integral_number_of_steps(anywhere, value) == ((value - base) / step == (value - base) // step)


@given(DECIMALS, st.integers(1, 10**4), st.integers(-500, 500), st.integers(0, 1000))
def test_nearest_step_is_the_nearest_of_all_in_the_range(value: Fraction, digits: int, least: int, width: int) -> None:
    step = Fraction(digits, 10)
    attributes = {"min": str(least), "max": str(least + width), "step": text_of(step)}
    facts = InputFacts(type=InputType.RANGE, attributes=attributes)
    candidates = [least + index * step for index in range(int(width / step) + 1)]
    expected = min(candidates, key=lambda candidate: (abs(candidate - value), -candidate))
    assert nearest_step(facts, value) == expected


@given(st.randoms(use_true_random=False))
def test_sanitized_range_lies_in_its_range_on_a_step(chance: random.Random) -> None:
    least, width = chance.randint(-100, 100), chance.randint(0, 50)
    step = Fraction(chance.randint(1, 200), 10)
    attributes = {"min": str(least), "max": str(least + width), "step": text_of(step)}
    facts = InputFacts(type=InputType.RANGE, value=a_value(chance, InputType.NUMBER), attributes=attributes)
    facts = replace(facts, value=value_sanitization_algorithm(facts))
    number = number_of(facts)
    if number is not None:
        assert least <= number <= least + width
        assert is_an_integral_number_of_steps(facts, number)


@pytest.mark.parametrize(
    ("attribute", "local_name", "applied"),
    [
        ("readonly", "textarea", True),
        ("required", "select", True),
        ("multiple", "select", True),
        ("pattern", "textarea", False),
        ("readonly", "select", False),
        ("required", "button", False),
    ],
)
def test_attribute_applies_to_the_elements_that_have_it(attribute: str, local_name: str, applied: bool) -> None:
    assert applies_to_an_element(attribute, local_name) is applied
