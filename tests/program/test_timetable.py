"""A timetable says what a schedule says: who comes after whom, and where time goes by; a search learns from its runs."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.judging.litmus.conditions import parse
from modelcontext.judging.litmus.language import CATALOGUE, read_catalogue
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.reading import from_data
from modelcontext.programs.program.steering import TimetableSearch, nearness, ways
from modelcontext.programs.program.timetable import Pace, timetable

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

FOLDER = Path(__file__).resolve().parents[2] / CATALOGUE
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


def test_step_has_a_point_at_its_end() -> None:
    whats = [point.what for point in timetable(TWO_SITES, ()).points["top"]]
    assert whats[:2] == ["script.top[0]", "done script.top[0]"]


def test_documents_of_a_browser_are_held_between_two_steps() -> None:
    plans = [timetable(TWO_SITES, way.schedule, holds=True) for way in ways(TWO_SITES, 20)]
    held = [plan for plan in plans for point in plan.points["top"] if point.after and point.what == "script.top[1]"]
    assert held
    assert all(one.startswith("frame ") for plan in held for point in plan.points["top"] for one in point.after)


def test_event_loop_is_free_before_a_timer_that_comes_after_a_task_without_a_point() -> None:
    [litmus] = read_catalogue(FOLDER, ["observation-registration/accessor-of-a-frame-that-navigates"])
    new = parse("timer: timer before old or new: false")
    early = parse("timer: timer before afterwards: false")
    found = ways(litmus.program, 100)
    [idle, *_] = [way for way in found if new.holds(way.outcome) and early.holds(way.outcome)]
    points = timetable(litmus.program, idle.schedule, holds=True).points["top"]
    [timer] = [point for point in points if point.begins == "timer timer"]
    assert timer.idles
    assert timer.units == 1


def test_search_drops_a_wait_that_was_in_vain() -> None:
    found = allowed_outcomes(TWO_SITES)
    [wanted] = found.outcomes.values()
    search = TimetableSearch(TWO_SITES, found.schedule_to(wanted.canonical), [])
    first = search.next()
    [number, *_] = [number for number, point in enumerate(first.points["frame"]) if point.after]
    assert not search.learn(None, f"frame {number}")
    second = search.next()
    assert second.points["frame"][number].after == ()
    assert second.points["top"] == first.points["top"]


def test_search_tries_a_suggested_timetable_next() -> None:
    found = allowed_outcomes(TIMER_AGAINST_CALL)
    wanted, other = list(found.outcomes.values())[:2]
    search = TimetableSearch(TIMER_AGAINST_CALL, found.schedule_to(wanted.canonical), [])
    suggested = timetable(TIMER_AGAINST_CALL, found.schedule_to(other.canonical), Pace.PATIENT)
    search.suggest(suggested)
    assert search.next() is suggested


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
