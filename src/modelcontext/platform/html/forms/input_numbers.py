"""Values of input elements as numbers: conversions, ranges, steps (https://html.spec.whatwg.org/#the-input-element)."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from modelcontext.platform.html.forms.dates import (
    MILLISECONDS_PER_DAY,
    days_of_week,
    days_since_the_epoch,
    milliseconds_since_midnight,
    parse_a_date_string,
    parse_a_local_date_and_time_string,
    parse_a_month_string,
    parse_a_time_string,
    parse_a_week_string,
)
from modelcontext.platform.html.forms.input_types import (
    DEFAULT_RANGE,
    STEPPING,
    InputType,
    applies,
    has_a_periodic_domain,
)
from modelcontext.platform.html.forms.numbers import (
    rules_for_parsing_floating_point_number_values,
)

if TYPE_CHECKING:
    from modelcontext.platform.html.forms.control_facts import InputFacts


def convert_a_string_to_a_number(type: InputType, input: str) -> Fraction | None:
    """https://html.spec.whatwg.org/#concept-input-value-string-number

    Returns:
        the number: of months since 1970-01 for Month, of milliseconds for the other temporal states. None is an error,
        or a state without this algorithm.
    """
    match type:
        case InputType.DATE:
            day = parse_a_date_string(input)
            return None if day is None else Fraction(days_since_the_epoch(day) * MILLISECONDS_PER_DAY)
        case InputType.MONTH:
            month = parse_a_month_string(input)
            return None if month is None else Fraction((month.year - 1970) * 12 + month.month - 1)
        case InputType.WEEK:
            week = parse_a_week_string(input)
            return None if week is None else Fraction(days_of_week(week) * MILLISECONDS_PER_DAY)
        case InputType.TIME:
            time = parse_a_time_string(input)
            return None if time is None else milliseconds_since_midnight(time)
        case InputType.DATETIME_LOCAL:
            local = parse_a_local_date_and_time_string(input)
            if local is None:
                return None
            return days_since_the_epoch(local.date) * MILLISECONDS_PER_DAY + milliseconds_since_midnight(local.time)
        case InputType.NUMBER | InputType.RANGE:
            return rules_for_parsing_floating_point_number_values(input)
    return None


def number_of(facts: InputFacts) -> Fraction | None:
    """Return the element's value as a number, if it is one."""
    return convert_a_string_to_a_number(facts.type, facts.value)


def minimum(facts: InputFacts) -> Fraction | None:
    """https://html.spec.whatwg.org/#concept-input-min; None if none is defined."""
    number = _number_of_attribute(facts, "min")
    return DEFAULT_RANGE[0] if number is None and facts.type is InputType.RANGE else number


def maximum(facts: InputFacts) -> Fraction | None:
    """https://html.spec.whatwg.org/#concept-input-max; None if none is defined."""
    number = _number_of_attribute(facts, "max")
    return DEFAULT_RANGE[1] if number is None and facts.type is InputType.RANGE else number


def _number_of_attribute(facts: InputFacts, attribute: str) -> Fraction | None:
    value = facts.get(attribute)
    return None if value is None else convert_a_string_to_a_number(facts.type, value)


def has_a_reversed_range(facts: InputFacts) -> bool:
    """https://html.spec.whatwg.org/#has-a-reversed-range"""
    least, greatest = minimum(facts), maximum(facts)
    return has_a_periodic_domain(facts.type) and least is not None and greatest is not None and greatest < least


def allowed_value_step(facts: InputFacts) -> Fraction | None:
    """https://html.spec.whatwg.org/#concept-input-step; None if there is none."""
    # 1. If the attribute does not apply, then there is no allowed value step.
    if not applies("step", facts.type):
        return None
    stepping = STEPPING[facts.type]
    default = Fraction(stepping.default_step * stepping.scale_factor)
    # 2. Otherwise, if the attribute is absent, then the allowed value step is the default step multiplied by the step scale
    #    factor.
    attribute = facts.get("step")
    if attribute is None:
        return default
    # 3. Otherwise, if the attribute's value is an ASCII case-insensitive match for the string "any", then there is no allowed
    #    value step.
    if attribute.lower() == "any":
        return None
    # 4. Otherwise, if the rules for parsing floating-point number values, when they are applied to the attribute's value,
    #    return an error, zero, or a number less than zero, then the allowed value step is the default step multiplied by the
    #    step scale factor.
    number = rules_for_parsing_floating_point_number_values(attribute)
    if number is None or number <= 0:
        return default
    # 5. Otherwise, the allowed value step is the number returned by the rules for parsing floating-point number values when
    #    they are applied to the attribute's value, multiplied by the step scale factor.
    return number * stepping.scale_factor


def step_base(facts: InputFacts) -> Fraction:
    """https://html.spec.whatwg.org/#concept-input-min-zero"""
    # 1. If the element has a min content attribute, and the result of applying the algorithm to convert a string to a number
    #    to the value of the min content attribute is not an error, then return that result.
    number = _number_of_attribute(facts, "min")
    if number is not None:
        return number
    # 2. If the element has a value content attribute, and the result of applying the algorithm to convert a string to a
    #    number to the value of the value content attribute is not an error, then return that result.
    value = facts.attributes.get("value")
    number = None if value is None else convert_a_string_to_a_number(facts.type, value)
    if number is not None:
        return number
    # 3. If a default step base is defined for this element given its type attribute's state, then return it.
    # 4. Return zero.
    return Fraction(STEPPING[facts.type].default_step_base)


def is_an_integral_number_of_steps(facts: InputFacts, number: Fraction) -> bool:
    """Return whether a number, subtracted from the step base, is an integral multiple of the allowed value step, if any."""
    step = allowed_value_step(facts)
    return step is None or (number - step_base(facts)) % step == 0


def nearest_step(facts: InputFacts, number: Fraction) -> Fraction | None:
    """Return the nearest number without a step mismatch that is in the range, or None if there is none.

    Of two that are as near, it is the one nearest to positive infinity. A maximum that is less than the minimum is no bound.
    """
    step = allowed_value_step(facts)
    if step is None:
        return number
    base, least, greatest = step_base(facts), minimum(facts), maximum(facts)
    steps = math.floor((number - base) / step + Fraction(1, 2))
    if greatest is not None and (least is None or greatest >= least):
        steps = min(steps, math.floor((greatest - base) / step))
    nearest = base + steps * step
    if least is not None and nearest < least:
        nearest = base + math.ceil((least - base) / step) * step
        if greatest is not None and least <= greatest < nearest:
            return None
    return nearest
