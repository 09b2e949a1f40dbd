"""The value sanitization algorithms of input elements (https://html.spec.whatwg.org/#value-sanitization-algorithm)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from modelcontext.platform.html.forms.colors import update_a_color_well_control_color
from modelcontext.platform.html.forms.dates import (
    is_a_valid_date_string,
    is_a_valid_local_date_and_time_string,
    is_a_valid_month_string,
    is_a_valid_time_string,
    is_a_valid_week_string,
    parse_a_local_date_and_time_string,
    valid_normalized_local_date_and_time_string,
)
from modelcontext.platform.html.forms.input_numbers import maximum, minimum, nearest_step, number_of
from modelcontext.platform.html.forms.input_types import InputType
from modelcontext.platform.html.forms.numbers import (
    best_representation_as_a_floating_point_number,
    is_a_valid_floating_point_number,
)
from modelcontext.platform.infra.strings import (
    split_on_commas,
    strip_leading_and_trailing_ascii_whitespace,
    strip_newlines,
)

if TYPE_CHECKING:
    from fractions import Fraction

    from modelcontext.platform.html.forms.control_facts import InputFacts


def value_sanitization_algorithm(facts: InputFacts) -> str:
    """https://html.spec.whatwg.org/#value-sanitization-algorithm

    Args:
        facts: the element, with the value to be sanitized.

    Returns:
        the new value. In the Range state it is the value after the corrections that the state demands.
    """
    value = facts.value
    match facts.type:
        case InputType.TEXT | InputType.SEARCH | InputType.TEL | InputType.PASSWORD:
            return strip_newlines(value)
        case InputType.EMAIL if facts.has("multiple"):
            return ",".join(split_on_commas(value))
        case InputType.URL | InputType.EMAIL:
            return strip_leading_and_trailing_ascii_whitespace(strip_newlines(value))
        case InputType.DATE:
            return value if is_a_valid_date_string(value) else ""
        case InputType.MONTH:
            return value if is_a_valid_month_string(value) else ""
        case InputType.WEEK:
            return value if is_a_valid_week_string(value) else ""
        case InputType.TIME:
            return value if is_a_valid_time_string(value) else ""
        case InputType.DATETIME_LOCAL:
            local = parse_a_local_date_and_time_string(value)
            if local is None or not is_a_valid_local_date_and_time_string(value):
                return ""
            return valid_normalized_local_date_and_time_string(local)
        case InputType.NUMBER:
            return value if is_a_valid_floating_point_number(value) else ""
        case InputType.RANGE:
            if not is_a_valid_floating_point_number(value):
                value = best_representation_as_a_floating_point_number(default_value_of_a_range(facts))
            return corrected_value_of_a_range(replace(facts, value=value))
        case InputType.COLOR:
            return update_a_color_well_control_color(value)
    return value


def values_of_an_email_control(facts: InputFacts) -> list[str]:
    """Return the element's values (https://html.spec.whatwg.org/#concept-input-values), or its value without ``multiple``.

    The value has been sanitized, and is not the empty string.
    """
    return facts.value.split(",") if facts.has("multiple") else [facts.value]


def default_value_of_a_range(facts: InputFacts) -> Fraction:
    """https://html.spec.whatwg.org/#concept-input-value-default-range"""
    least, greatest = minimum(facts), maximum(facts)
    assert least is not None
    assert greatest is not None
    return least if greatest < least else least + (greatest - least) / 2


def corrected_value_of_a_range(facts: InputFacts) -> str:
    """Return the value after the corrections of https://html.spec.whatwg.org/#range-state-(type=range).

    An underflow and an overflow are corrected, then a step mismatch. A value that no IEEE 754 number stands for stays.
    """
    number, least, greatest = number_of(facts), minimum(facts), maximum(facts)
    assert least is not None
    assert greatest is not None
    if number is None:
        return facts.value
    # When the element is suffering from an underflow, the user agent must set the element's value to the best representation,
    # as a floating-point number, of the minimum. When the element is suffering from an overflow, if the maximum is not less
    # than the minimum, the user agent must set the element's value to [...] the maximum.
    corrected = max(number, least)
    if least <= greatest:
        corrected = min(corrected, greatest)
    # When the element is suffering from a step mismatch, the user agent must round the element's value to the nearest number
    # for which the element would not suffer from a step mismatch [...].
    nearest = nearest_step(facts, corrected)
    if nearest is not None:
        corrected = nearest
    return facts.value if corrected == number else best_representation_as_a_floating_point_number(corrected)
