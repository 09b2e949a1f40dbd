"""The microsyntaxes of dates and times, at the boundaries that the standard draws, and their numbers."""

from __future__ import annotations

from datetime import UTC, date, datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelcontext.platform.html.forms import dates
from modelcontext.platform.html.forms.dates import Date, LocalDateAndTime, Month, Time, Week
from tests.html.forms import number_strings

YEARS = st.integers(1, 500_000)
DATES = st.builds(Date, YEARS, st.integers(1, 12), st.integers(1, 28))
TIMES = st.builds(
    Time, st.integers(0, 23), st.integers(0, 59), st.integers(0, 59_999).map(lambda ms: Fraction(ms, 1000))
)


@pytest.mark.parametrize(
    ("text", "month"),
    [
        ("1970-01", Month(1970, 1)),
        ("0001-12", Month(1, 12)),
        ("02023-05", Month(2023, 5)),
        ("275761-01", Month(275761, 1)),
        ("0000-01", None),
        ("1970-00", None),
        ("1970-13", None),
        ("1970-1", None),
        ("970-01", None),
        ("-1970-01", None),
        ("1970-01-01", None),
        ("1970-01 ", None),
        ("197\u0660-01", None),
        ("", None),
    ],
)
def test_month_string_is_parsed(text: str, month: Month | None) -> None:
    assert dates.parse_a_month_string(text) == month
    assert dates.is_a_valid_month_string(text) is (month is not None)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("1970-01-01", Date(1970, 1, 1)),
        ("2000-02-29", Date(2000, 2, 29)),
        ("2024-02-29", Date(2024, 2, 29)),
        ("0004-02-29", Date(4, 2, 29)),
        ("275760-09-14", Date(275760, 9, 14)),
        ("2023-12-31", Date(2023, 12, 31)),
        ("1900-02-29", None),
        ("2023-02-29", None),
        ("2023-04-31", None),
        ("2023-01-00", None),
        ("2023-01-32", None),
        ("2023-1-01", None),
        ("2023-01-1", None),
        ("2023-01-011", None),
        ("0000-01-01", None),
        ("2023-00-01", None),
        ("2023/01/01", None),
        ("2023-01-01\n", None),
        ("20230101", None),
    ],
)
def test_date_string_is_parsed(text: str, day: Date | None) -> None:
    assert dates.parse_a_date_string(text) == day
    assert dates.is_a_valid_date_string(text) is (day is not None)


def test_year_has_as_many_digits_as_it_likes() -> None:
    parsed = dates.parse_a_date_string("9" * 5000 + "-12-31")
    assert parsed is not None
    assert dates.valid_date_string(parsed) == "9" * 5000 + "-12-31"
    assert number_strings.date_from_days(dates.days_since_the_epoch(parsed)) == parsed


@pytest.mark.parametrize(
    ("text", "time", "valid"),
    [
        ("00:00", Time(0, 0, Fraction(0)), True),
        ("23:59", Time(23, 59, Fraction(0)), True),
        ("12:30:59", Time(12, 30, Fraction(59)), True),
        ("12:30:59.9", Time(12, 30, Fraction("59.9")), True),
        ("12:30:59.99", Time(12, 30, Fraction("59.99")), True),
        ("12:30:59.999", Time(12, 30, Fraction("59.999")), True),
        ("12:30:59.9999", Time(12, 30, Fraction("59.9999")), False),
        ("12:30:00.0000", Time(12, 30, Fraction(0)), False),
        ("24:00", None, False),
        ("12:60", None, False),
        ("12:30:60", None, False),
        ("12:30:5", None, False),
        ("12:30:059", None, False),
        ("12:30:", None, False),
        ("12:30:.5", None, False),
        ("12:30:01.", None, False),
        ("12:30:01.5.5", None, False),
        ("1:30", None, False),
        ("012:30", None, False),
        ("12:3", None, False),
        ("12.30", None, False),
        ("12:30Z", None, False),
        (" 12:30", None, False),
    ],
)
def test_time_string_is_parsed_and_valid_with_three_decimals(text: str, time: Time | None, valid: bool) -> None:
    assert dates.parse_a_time_string(text) == time
    assert dates.is_a_valid_time_string(text) is valid


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("2023-01-02T03:04", "2023-01-02T03:04"),
        ("2023-01-02 03:04", "2023-01-02T03:04"),
        ("2023-01-02T03:04:00", "2023-01-02T03:04"),
        ("2023-01-02T03:04:00.000", "2023-01-02T03:04"),
        ("2023-01-02T03:04:05", "2023-01-02T03:04:05"),
        ("2023-01-02T03:04:05.600", "2023-01-02T03:04:05.6"),
        ("2023-01-02T03:04:05.060", "2023-01-02T03:04:05.06"),
        ("2023-01-02T03:04:05.006", "2023-01-02T03:04:05.006"),
        ("02023-01-02T03:04", "2023-01-02T03:04"),
        ("2023-01-02t03:04", None),
        ("2023-01-02  03:04", None),
        ("2023-01-02T", None),
        ("2023-01-02", None),
        ("2023-01-02T03:04Z", None),
        ("2023-02-30T03:04", None),
        ("2023-01-02T24:00", None),
    ],
)
def test_local_date_and_time_string_is_normalized(text: str, normalized: str | None) -> None:
    parsed = dates.parse_a_local_date_and_time_string(text)
    assert (None if parsed is None else dates.valid_normalized_local_date_and_time_string(parsed)) == normalized
    assert dates.is_a_valid_local_date_and_time_string(text) is (parsed is not None)


@pytest.mark.parametrize(
    ("text", "week"),
    [
        ("1970-W01", Week(1970, 1)),
        ("2020-W53", Week(2020, 53)),
        ("2015-W53", Week(2015, 53)),
        ("0001-W01", Week(1, 1)),
        ("275761-W01", Week(275761, 1)),
        ("2021-W53", None),
        ("2020-W54", None),
        ("2020-W00", None),
        ("2020-W1", None),
        ("2020-w01", None),
        ("2020W01", None),
        ("0000-W01", None),
        ("2020-W011", None),
    ],
)
def test_week_string_is_parsed(text: str, week: Week | None) -> None:
    assert dates.parse_a_week_string(text) == week
    assert dates.is_a_valid_week_string(text) is (week is not None)


@pytest.mark.usefixtures("takes_long")
def test_huge_texts_are_parsed() -> None:
    assert dates.parse_a_date_string("9" * 10**6 + "-01-01") is not None
    assert dates.parse_a_time_string("00:00:00." + "9" * 10**6) is not None
    assert dates.parse_a_week_string("9" * 10**6 + "-W54") is None


def test_years_have_53_weeks_as_the_standard_says() -> None:
    for year in (*range(1, 402), *range(1900, 2500), 10_000, 275_760):
        # A year that begins on a Thursday, or a leap year that begins on a Wednesday; 1970-01-01 was a Thursday.
        weekday = dates.days_since_the_epoch(Date(year, 1, 1)) % 7
        leap = year % 400 == 0 or (year % 4 == 0 and year % 100 != 0)
        assert dates.week_number_of_the_last_day(year) == (53 if weekday == 0 or (leap and weekday == 6) else 52)
        assert dates.number_of_days_in_month(2, year) == (29 if leap else 28)


@given(st.dates())
def test_days_and_weeks_agree_with_pythons_calendar(day: date) -> None:
    ours = Date(day.year, day.month, day.day)
    days = dates.days_since_the_epoch(ours)
    assert days == (day - date(1970, 1, 1)).days
    assert number_strings.date_from_days(days) == ours
    iso = day.isocalendar()
    week = number_strings.week_from_days(days)
    assert week == Week(iso.year, iso.week)
    assert dates.days_of_week(week) == days - (iso.weekday - 1)


@given(DATES, TIMES)
def test_parsing_what_was_serialized_gives_the_same(day: Date, time: Time) -> None:
    month = Month(day.year, day.month)
    local = LocalDateAndTime(day, time)
    week = number_strings.week_from_days(dates.days_since_the_epoch(day))
    assert week is not None
    assert dates.parse_a_month_string(number_strings.valid_month_string(month)) == month
    assert dates.parse_a_date_string(dates.valid_date_string(day)) == day
    assert dates.parse_a_time_string(dates.valid_time_string(time)) == time
    assert dates.is_a_valid_time_string(dates.valid_time_string(time))
    text = dates.valid_normalized_local_date_and_time_string(local)
    assert dates.parse_a_local_date_and_time_string(text) == local
    assert dates.parse_a_week_string(number_strings.valid_week_string(week)) == week


@given(st.integers(-(10**9), 10**9))
def test_days_and_dates_are_inverse(days: int) -> None:
    day, week = number_strings.date_from_days(days), number_strings.week_from_days(days)
    assert (day is None) == (week is None) == (days < -719162)
    if day is not None and week is not None:
        assert dates.days_since_the_epoch(day) == days
        assert 0 <= days - dates.days_of_week(week) < 7


@given(st.integers(0, dates.MILLISECONDS_PER_DAY - 1))
def test_milliseconds_and_times_are_inverse(milliseconds: int) -> None:
    time = number_strings.time_from_milliseconds(milliseconds)
    assert dates.milliseconds_since_midnight(time) == milliseconds
    moment = datetime.fromtimestamp(milliseconds // 1000, UTC)
    assert (time.hour, time.minute, int(time.second)) == (moment.hour, moment.minute, moment.second)
