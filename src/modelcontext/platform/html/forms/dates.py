"""Dates and times in HTML (https://html.spec.whatwg.org/#dates-and-times), in the proleptic Gregorian calendar.

A year has no upper limit here, as in the standard. Python's calendar ends with the year 9999; it repeats itself after 400
years, so it answers for a year of its first cycles.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Final, NamedTuple

from modelcontext.platform.html.forms.numbers import base_ten_integer

_MONTH: Final = r"([0-9]{4,})-([0-9]{2})"
_DATE: Final = rf"{_MONTH}-([0-9]{{2}})"
_TIME: Final = r"([0-9]{2}):([0-9]{2})(?::([0-9]{2}(?:\.[0-9]+)?))?"
_MONTH_STRING: Final = re.compile(_MONTH)
_DATE_STRING: Final = re.compile(_DATE)
_TIME_STRING: Final = re.compile(_TIME)
_LOCAL_DATE_AND_TIME_STRING: Final = re.compile(rf"({_DATE})[T ]({_TIME})")
_WEEK_STRING: Final = re.compile(r"([0-9]{4,})-W([0-9]{2})")
#: Matches a time whose fraction of a second has more digits than a valid time string may have.
_FINER_THAN_MILLISECONDS: Final = re.compile(r"\.[0-9]{4}")

_CYCLE_YEARS: Final = 400
_CYCLE_DAYS: Final = 146097
_EPOCH: Final = date(1970, 1, 1).toordinal()

MILLISECONDS_PER_DAY: Final = 86_400_000


class Month(NamedTuple):
    """A month: a year greater than zero, and a month from 1 to 12."""

    year: int
    month: int


class Date(NamedTuple):
    """A date: a year greater than zero, a month, a day of the month."""

    year: int
    month: int
    day: int


class Time(NamedTuple):
    """A time: an hour, a minute, and a second with its fraction."""

    hour: int
    minute: int
    second: Fraction


class LocalDateAndTime(NamedTuple):
    """A local date and time."""

    date: Date
    time: Time


class Week(NamedTuple):
    """A week: a week-year greater than zero, and a week from 1 to 53."""

    year: int
    week: int


def _in_the_first_cycles(year: int, month: int, day: int) -> tuple[date, int]:
    """Return a date of Python that lies whole cycles before another date, and the number of cycles."""
    cycles = (year - 1) // _CYCLE_YEARS
    return date(year - cycles * _CYCLE_YEARS, month, day), cycles


def number_of_days_in_month(month: int, year: int) -> int:
    """https://html.spec.whatwg.org/#number-of-days-in-month-month-of-year-year"""
    return monthrange((year - 1) % _CYCLE_YEARS + 1, month)[1]


def week_number_of_the_last_day(year: int) -> int:
    """https://html.spec.whatwg.org/#week-number-of-the-last-day"""
    # The 28th of December is always in the last week of its year.
    return _in_the_first_cycles(year, 12, 28)[0].isocalendar().week


def days_since_the_epoch(day: Date) -> int:
    """Return the number of days from 1970-01-01 to a date; it is negative for earlier dates."""
    near, cycles = _in_the_first_cycles(*day)
    return near.toordinal() + cycles * _CYCLE_DAYS - _EPOCH


def days_of_week(week: Week) -> int:
    """Return the number of days from 1970-01-01 to the Monday of a week."""
    cycles = (week.year - 1) // _CYCLE_YEARS
    near = date.fromisocalendar(week.year - cycles * _CYCLE_YEARS, week.week, 1)
    return near.toordinal() + cycles * _CYCLE_DAYS - _EPOCH


def parse_a_month_string(input: str) -> Month | None:
    """https://html.spec.whatwg.org/#parse-a-month-string; None is nothing."""
    match = _MONTH_STRING.fullmatch(input)
    return None if match is None else _month(match[1], match[2])


def _month(year: str, month: str) -> Month | None:
    """https://html.spec.whatwg.org/#parse-a-month-component"""
    parsed = Month(base_ten_integer(year), int(month))
    return parsed if parsed.year > 0 and 1 <= parsed.month <= 12 else None


def parse_a_date_string(input: str) -> Date | None:
    """https://html.spec.whatwg.org/#parse-a-date-string; None is nothing."""
    match = _DATE_STRING.fullmatch(input)
    if match is None:
        return None
    month = _month(match[1], match[2])
    if month is None or not 1 <= int(match[3]) <= number_of_days_in_month(month.month, month.year):
        return None
    return Date(*month, int(match[3]))


def parse_a_time_string(input: str) -> Time | None:
    """https://html.spec.whatwg.org/#parse-a-time-string; None is nothing."""
    match = _TIME_STRING.fullmatch(input)
    if match is None:
        return None
    whole, _, decimals = (match[3] or "0").partition(".")
    second = Fraction(base_ten_integer(whole + decimals), 10 ** len(decimals))
    time = Time(int(match[1]), int(match[2]), second)
    return time if time.hour <= 23 and time.minute <= 59 and time.second < 60 else None


def parse_a_local_date_and_time_string(input: str) -> LocalDateAndTime | None:
    """https://html.spec.whatwg.org/#parse-a-local-date-and-time-string; None is nothing."""
    match = _LOCAL_DATE_AND_TIME_STRING.fullmatch(input)
    if match is None:
        return None
    day, time = parse_a_date_string(match[1]), parse_a_time_string(match[5])
    return None if day is None or time is None else LocalDateAndTime(day, time)


def parse_a_week_string(input: str) -> Week | None:
    """https://html.spec.whatwg.org/#parse-a-week-string; None is nothing."""
    match = _WEEK_STRING.fullmatch(input)
    if match is None:
        return None
    week = Week(base_ten_integer(match[1]), int(match[2]))
    return week if week.year > 0 and 1 <= week.week <= week_number_of_the_last_day(week.year) else None


def is_a_valid_month_string(input: str) -> bool:
    """https://html.spec.whatwg.org/#valid-month-string"""
    return parse_a_month_string(input) is not None


def is_a_valid_date_string(input: str) -> bool:
    """https://html.spec.whatwg.org/#valid-date-string"""
    return parse_a_date_string(input) is not None


def is_a_valid_time_string(input: str) -> bool:
    """https://html.spec.whatwg.org/#valid-time-string; parsing takes finer fractions of a second than it allows."""
    return parse_a_time_string(input) is not None and _FINER_THAN_MILLISECONDS.search(input) is None


def is_a_valid_local_date_and_time_string(input: str) -> bool:
    """https://html.spec.whatwg.org/#valid-local-date-and-time-string"""
    return parse_a_local_date_and_time_string(input) is not None and _FINER_THAN_MILLISECONDS.search(input) is None


def is_a_valid_week_string(input: str) -> bool:
    """https://html.spec.whatwg.org/#valid-week-string"""
    return parse_a_week_string(input) is not None


def valid_date_string(day: Date) -> str:
    """Return the valid date string that represents a date."""
    return f"{_year(day.year)}-{day.month:02}-{day.day:02}"


def valid_time_string(time: Time) -> str:
    """Return the shortest valid time string that represents a time, whose second has at most three decimals."""
    text = f"{time.hour:02}:{time.minute:02}"
    if time.second == 0:
        return text
    seconds, milliseconds = divmod(int(time.second * 1000), 1000)
    return f"{text}:{seconds:02}" + (f".{milliseconds:03}".rstrip("0") if milliseconds else "")


def valid_normalized_local_date_and_time_string(local: LocalDateAndTime) -> str:
    """https://html.spec.whatwg.org/#valid-normalised-local-date-and-time-string"""
    return f"{valid_date_string(local.date)}T{valid_time_string(local.time)}"


def _year(year: int) -> str:
    """Return a year as four or more digits, however many they are."""
    return f"{Decimal(year):f}".zfill(4)


def milliseconds_since_midnight(time: Time) -> Fraction:
    """Return the number of milliseconds from 00:00 to a time."""
    return (time.hour * 3600 + time.minute * 60 + time.second) * 1000
