"""Reasons for an unexplored schedule are those of the exploration, and the named schedule stands for it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.ground.schedule import footprint
from modelcontext.ground.schedule.choose import Chooser, Process, RecordingChooser, Replay, Seeded
from modelcontext.ground.schedule.reasons import (
    Action,
    BoundReached,
    Commuting,
    Explanation,
    Impossible,
    KnownState,
    Reason,
    why_not,
)
from modelcontext.ground.schedule.search import every_schedule
from modelcontext.programs.program.exploration import explored
from modelcontext.programs.program.interpreter import Run
from modelcontext.programs.program.reading import load

if TYPE_CHECKING:
    from modelcontext.ground.schedule.graph import StateGraph
    from modelcontext.programs.program.outcome import Outcome

pytestmark = pytest.mark.usefixtures("takes_long")

LITMUS = Path(__file__).parents[2] / "wpt_tests/litmus"
TESTS = [
    "abort-resolve/in-flight",
    "cancel-complete/resolved-by-the-toolcancel-event",
    "cross-origin-pairs/each-calls-the-other",
    "form-removal/inserted-again",
    "one-caller-many-tools/two-at-once",
    "unregister-execute/tool-gone-in-its-callback",
]
SMALL = "register-notify/event-and-promise"
SCHEDULES_OF_EACH = 6


def maker(name: str) -> partial[Run]:
    return partial(Run, load(LITMUS / f"{name}.toml"))


@dataclass(frozen=True)
class Asked:
    """A random schedule, its outcome, and why the exploration has not performed it."""

    schedule: Sequence[int]
    outcome: Outcome
    answer: Explanation[Run]


@cache
def asked(name: str, bound: int = 20_000) -> tuple[StateGraph, list[Asked]]:
    """Explore a litmus test, and ask for some random schedules."""
    make = maker(name)
    graph = explored(make, bound)
    found = []
    for seed in range(SCHEDULES_OF_EACH):
        chooser = RecordingChooser(Seeded(seed))
        outcome = make(chooser).run()
        found.append(Asked(chooser.schedule, outcome, why_not(graph, make, chooser.schedule)))
    return graph, found


def reasons(name: str) -> list[Reason]:
    return [reason for one in asked(name)[1] for reason in one.answer.reasons]


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("name", TESTS)
def test_schedule_that_stands_for_another_has_its_outcome_and_is_a_way_through_the_graph(name: str) -> None:
    make = maker(name)
    graph, every = asked(name)
    for one in every:
        assert one.answer.stands_for_it is not None
        assert one.answer.stands_for_it.result().canonical == one.outcome.canonical
        assert make(Replay(one.answer.standing)).run().canonical == one.outcome.canonical
        again = why_not(graph, make, one.answer.standing)
        assert not any(isinstance(reason, Commuting) for reason in again.reasons)


def clash(one: Action, other: Action) -> set[footprint.Kind]:
    """Return the kinds of state for which the order of two actions would matter, if all that follows read everything."""
    touched = one.footprint.reads | one.footprint.writes, other.footprint.reads | other.footprint.writes
    return {key[0] for key in touched[0] & touched[1] if key in one.footprint.writes | other.footprint.writes}


@pytest.mark.parametrize("name", TESTS)
def test_action_that_comes_first_writes_nothing_that_those_it_passes_touch(name: str) -> None:
    commuting = [reason for reason in reasons(name) if isinstance(reason, Commuting)]
    assert commuting
    for reason in commuting:
        first = reason.actions[reason.first]
        assert first.process in reason.awaited
        assert reason.index < reason.first
        for other in reason.actions[reason.index : reason.first]:
            assert other.process not in reason.awaited
            assert all(kind.ordered or kind.unread for kind in clash(first, other))


class _Looking(Replay):
    """Follows a schedule, and keeps the states in which so many answers are given."""

    def __init__(self, answers: Sequence[int]) -> None:
        super().__init__(answers)
        self._length = len(answers)
        self.run: Run | None = None
        self.states: set[bytes] = set()

    def pick(self, options: Sequence[Process]) -> int:
        footprint.stop_naming()
        if len(self.schedule) == self._length and self.run is not None:
            self.states.add(self.run.state().fingerprint)
        return super().pick(options)


def states_after(make: partial[Run], answers: Sequence[int]) -> set[bytes]:
    """Return the states of a run in which it has given these answers and no more, that of its end included."""
    looking = _Looking(answers)
    with footprint.one_run():
        looking.run = run = make(looking)
        run.run()
        if len(looking.schedule) == len(answers):
            looking.states.add(run.state().fingerprint)
    return looking.states


@pytest.mark.parametrize("name", TESTS)
def test_known_state_is_the_state_after_the_schedule_that_came_there_first(name: str) -> None:
    make = maker(name)
    known = [reason for reason in reasons(name) if isinstance(reason, KnownState)]
    assert known
    for reason in known:
        assert list(reason.schedule) != list(reason.first)
        assert states_after(make, reason.schedule) & states_after(make, reason.first)


@pytest.mark.usefixtures("takes_long")
def test_schedules_without_a_reason_are_those_that_the_exploration_has_performed_to_their_end() -> None:
    make = maker(SMALL)
    program = load(LITMUS / f"{SMALL}.toml")
    performed: set[tuple[int, ...]] = set()

    class Ending(Run):
        def __init__(self, chooser: Chooser) -> None:
            self.recorder = RecordingChooser(chooser)
            super().__init__(program, self.recorder)

        def run(self) -> Outcome:
            outcome = super().run()
            performed.add(tuple(self.recorder.schedule))
            return outcome

    explored(Ending, 20_000)
    graph = explored(make, 20_000)
    schedules: list[tuple[int, ...]] = []
    effort = every_schedule(make, lambda _, schedule: schedules.append(tuple(schedule)), 20_000)
    assert effort.complete
    for schedule in random.Random(1).sample(schedules, 100) + sorted(performed):
        answer = why_not(graph, make, schedule)
        # The last action may lead to an end that is known, and then a run had the whole schedule, or none needed to.
        inner = [
            one for one in answer.reasons if not (isinstance(one, KnownState) and list(one.schedule) == list(schedule))
        ]
        if schedule in performed:
            assert inner == []
        else:
            assert answer.reasons != []


def test_bound_is_the_reason_where_the_exploration_was_cut_off() -> None:
    graph, every = asked("abort-resolve/in-flight", bound=1)
    assert not graph.is_complete
    assert all(isinstance(one.answer.reasons[-1], BoundReached) for one in every)


def test_schedule_with_a_wrong_answer_is_impossible() -> None:
    make = maker(SMALL)
    graph = explored(make, 20_000)
    answer = why_not(graph, make, [0, 99])
    assert answer.reasons == [Impossible(1, 2)]
    assert answer.performed is None


def test_schedule_with_more_answers_than_choices_is_impossible() -> None:
    make = maker(SMALL)
    graph = explored(make, 20_000)
    whole = why_not(graph, make, []).schedule
    assert why_not(graph, make, [*whole, 0]).reasons == [Impossible(len(whole), 0)]
