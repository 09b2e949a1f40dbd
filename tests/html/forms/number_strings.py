"""Dates, times and strings of numbers: the inverse of what the model parses, for tests that go there and back."""

from __future__ import annotations

import math
from datetime import date
from fractions import Fraction

from modelcontext.platform.html.forms import dates
from modelcontext.platform.html.forms.dates import (
    MILLISECONDS_PER_DAY,
    Date,
    LocalDateAndTime,
    Month,
    Time,
    Week,
    valid_date_string,
    valid_normalized_local_date_and_time_string,
    valid_time_string,
)
from modelcontext.platform.html.forms.input_types import InputType
from modelcontext.platform.html.forms.numbers import best_representation_as_a_floating_point_number

CYCLE_DAYS, CYCLE_YEARS = dates._CYCLE_DAYS, dates._CYCLE_YEARS
EPOCH = dates._EPOCH


def date_from_days(days: int) -> Date | None:
    """Return the date that is so many days after 1970-01-01, or None before the year 1."""
    cycles, within = divmod(days + EPOCH - 1, CYCLE_DAYS)
    near = date.fromordinal(within + 1)
    year = near.year + cycles * CYCLE_YEARS
    return Date(year, near.month, near.day) if year > 0 else None


def week_from_days(days: int) -> Week | None:
    """Return the week with the day that is so many days after 1970-01-01, or None before the year 1."""
    day = date_from_days(days)
    if day is None:
        return None
    near, cycles = dates._in_the_first_cycles(*day)
    year, week, _ = near.isocalendar()
    return Week(year + cycles * CYCLE_YEARS, week)


def time_from_milliseconds(milliseconds: int) -> Time:
    """Return the time that is so many milliseconds after midnight: from 0 to one less than a day has."""
    hour, within = divmod(milliseconds, 3_600_000)
    minute, within = divmod(within, 60_000)
    return Time(hour, minute, Fraction(within, 1000))


def valid_month_string(month: Month) -> str:
    """Return the valid month string that represents a month."""
    return f"{dates._year(month.year)}-{month.month:02}"


def valid_week_string(week: Week) -> str:
    """Return the valid week string that represents a week."""
    return f"{dates._year(week.year)}-W{week.week:02}"


def convert_a_number_to_a_string(type: InputType, input: Fraction) -> str | None:
    """Convert a number to a string (https://html.spec.whatwg.org/#concept-input-value-number-string).

    Args:
        type: the state.
        input: the number, as :func:`convert_a_string_to_a_number` gives it; parts of a millisecond are cut off.

    Returns:
        the string, or None if no string of the state represents the number.
    """
    if type in (InputType.NUMBER, InputType.RANGE):
        return best_representation_as_a_floating_point_number(input)
    if type is InputType.MONTH:
        year, month = divmod(math.floor(input), 12)
        return valid_month_string(Month(year + 1970, month + 1)) if year > -1970 else None
    days, within = divmod(math.floor(input), MILLISECONDS_PER_DAY)
    if type is InputType.TIME:
        return valid_time_string(time_from_milliseconds(within)) if days == 0 else None
    day = date_from_days(days)
    week = week_from_days(days)
    if day is None or week is None:
        return None
    match type:
        case InputType.DATE:
            return valid_date_string(day)
        case InputType.WEEK:
            return valid_week_string(week)
        case InputType.DATETIME_LOCAL:
            return valid_normalized_local_date_and_time_string(LocalDateAndTime(day, time_from_milliseconds(within)))
    return None
