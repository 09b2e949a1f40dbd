"""A timetable says what a schedule says: who comes after whom, and where time goes by; a search learns from its runs."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from modelcontext.program.explore import allowed_outcomes
from modelcontext.program.reading import from_data
from modelcontext.program.steering import TimetableSearch, nearness, ways
from modelcontext.program.timetable import Pace, timetable

if TYPE_CHECKING:
    from modelcontext.program.language import Program

TOOL = {"name": "t", "description": "d"}
TIMER_AGAINST_CALL = from_data(
    {
        "title": "a timer aborts a call",
        "script": {
            "top": [
                {"do": "registerTool", "tool": TOOL},
                {"do": "timer", "steps": [{"do": "abort", "controller": "c"}]},
                {
                    "do": "executeTool",
                    "as": "call",
                    "tool": {"$tool": "t"},
                    "options": {"signal": {"$signal": "c"}},
                },
            ]
        },
    }
)
TWO_SITES = from_data(
    {
        "title": "a message to another site",
        "documents": {"top": {}, "frame": {"parent": "top", "origin": "B"}},
        "script": {
            "top": [{"do": "tell", "to": "frame", "message": "go"}, {"do": "log", "value": "said"}],
            "frame": [{"do": "waitFor", "message": "go"}, {"do": "log", "value": "heard"}],
        },
    }
)


def _schedule_of(program: Program, first: str, then: str) -> list[int]:
    """Return a schedule under which one entry's promise or timer comes directly before another one."""
    found = allowed_outcomes(program)
    for text, outcome in found.outcomes.items():
        kinds = [next(key for key in entry if key != "in") for entry in outcome.logs["top"]]
        if any(pair == (first, then) for pair in itertools.pairwise(kinds)):
            return list(found.schedule_to(text))
    raise AssertionError(f"no outcome has {first} before {then}")


def test_timer_begins_after_the_point_before_it_in_the_schedule() -> None:
    points = timetable(TIMER_AGAINST_CALL, _schedule_of(TIMER_AGAINST_CALL, "callback", "timer")).points["top"]
    [number] = [number for number, point in enumerate(points) if point.what.startswith("callback")]
    assert points[number + 1].begins == "timer timer"
    assert points[number + 1].needs == f"top {number}"


def test_time_goes_by_only_where_steps_in_parallel_act() -> None:
    schedule = _schedule_of(TIMER_AGAINST_CALL, "callback", "timer")
    units = {
        pace: sum(point.units for point in timetable(TIMER_AGAINST_CALL, schedule, pace).points["top"]) for pace in Pace
    }
    assert units[Pace.HASTY] == 0
    assert units[Pace.HASTY] < units[Pace.STEADY] < units[Pace.PATIENT]


def test_document_waits_for_a_point_of_another_event_loop() -> None:
    plan = timetable(TWO_SITES, ())
    waiting = [point for points in plan.points.values() for point in points if point.after]
    assert any(point.begins == "message go" for point in plan.points["frame"])
    for point in waiting:
        for name in point.after:
            document, _, number = name.partition(" ")
            assert plan.points[document][int(number)].tells


def test_waits_are_told_in_words() -> None:
    words = list(timetable(TWO_SITES, ()).waits())
    assert any(line.startswith("frame script.frame[") and "after top " in line for line in words)


def test_search_stays_with_a_timetable_that_has_shown_the_outcome() -> None:
    found = allowed_outcomes(TIMER_AGAINST_CALL)
    wanted, other = list(found.outcomes.values())[:2]
    search = TimetableSearch(TIMER_AGAINST_CALL, found.schedule_to(wanted.canonical), ways(TIMER_AGAINST_CALL, 20))
    first = search.next()
    assert not search.learn(other)
    second = search.next()
    assert second != first
    assert search.learn(wanted)
    assert search.next() is second
    assert search.best is second


def test_nearness_is_below_a_half_for_another_outcome() -> None:
    one, other = list(allowed_outcomes(TIMER_AGAINST_CALL).outcomes.values())[:2]
    assert 0 < nearness(other, one) < 1 / 2
