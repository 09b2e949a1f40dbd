"""Attempts to find one result of a race: climbs, and eager searches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

import pytest

from modelcontext.ground.schedule.choose import Chooser, Replay, Seeded
from modelcontext.ground.schedule.climb import Climb
from modelcontext.ground.schedule.search import EagerSearch, Effort, Late, StopSearch
from modelcontext.hosts.world import World
from modelcontext.platform.html.event_loop import DOM_MANIPULATION_TASK_SOURCE, TIMER_TASK_SOURCE
from modelcontext.platform.html.loading import Response, create_a_new_top_level_traversable

Found = tuple[Effort, list[Sequence[int]]]

SOURCES = (TIMER_TASK_SOURCE, DOM_MANIPULATION_TASK_SOURCE)


class Race:
    """A run in which three documents perform tasks of two sources, each of which makes a free choice."""

    def __init__(self, chooser: Chooser) -> None:
        self._world = World(chooser=chooser)
        self.observations: list[Any] = []

    def run(self) -> None:
        self._world.enter()
        user_agent = self._world.user_agent
        for letter in "abc":
            document = create_a_new_top_level_traversable(user_agent, Response(f"https://{letter}.test/"))
            for number, source in enumerate(SOURCES):

                def steps(name: str = f"{letter}{number}") -> None:
                    self.observations.append((name, user_agent.choose("a free choice", 3)))

                document.event_loop.queue_a_task(source, document, steps)
        self._world.run_until_idle()

    def result(self) -> tuple[Any, ...]:
        return tuple(self.observations)

    def whereabouts(self) -> NoReturn:
        raise AssertionError("an eager search needs no fingerprint")


class LateRace(Race):
    """A run in which a task makes a free choice, and a later one shows it."""

    def run(self) -> None:
        self._world.enter()
        user_agent = self._world.user_agent
        document = create_a_new_top_level_traversable(user_agent, Response("https://a.test/"))
        answers: list[int] = []
        queue = document.event_loop.queue_a_task
        queue(TIMER_TASK_SOURCE, document, lambda: answers.append(user_agent.choose("a free choice", 3)))
        queue(TIMER_TASK_SOURCE, document, lambda: self.observations.append(answers[0]))
        self._world.run_until_idle()


def result_of(chooser: Chooser) -> tuple[Any, ...]:
    race = Race(chooser)
    race.run()
    return race.result()


def attempt(
    kind: type[Climb[Any]] | type[EagerSearch[Any]], wanted: tuple[Any, ...], bound: int, race: type[Race] = Race
) -> Found:
    """Return the effort of one attempt, and the schedules that it found."""
    found: list[Sequence[int]] = []

    def is_promising(result: tuple[Any, ...], schedule: Sequence[int]) -> bool:
        return result == wanted[: len(result)]

    def take(result: tuple[Any, ...], schedule: Sequence[int]) -> None:
        assert is_promising(result, schedule)
        if result == wanted:
            found.append(list(schedule))
            raise StopSearch

    return kind(race, is_promising, take).attempt(bound), found


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize(("kind", "bound"), [(Climb, 20_000), (EagerSearch, 100)])
@pytest.mark.parametrize("seed", range(5))
def test_attempt_finds_one_of_half_a_million_results(
    kind: type[Climb[Any]] | type[EagerSearch[Any]], bound: int, seed: int
) -> None:
    wanted = result_of(Seeded(seed))
    effort, found = attempt(kind, wanted, bound)
    assert effort.stopped
    assert not effort.complete
    assert result_of(Replay(found[0])) == wanted


@pytest.mark.parametrize("answer", range(3))
def test_eager_search_tells_states_after_different_answers_apart(answer: int) -> None:
    effort, _ = attempt(EagerSearch, (answer,), 10, LateRace)
    assert effort.stopped


class PlainRace(Race):
    """A run in which five tasks act in any order."""

    def run(self) -> None:
        self._world.enter()
        user_agent = self._world.user_agent
        for letter in "abcde":
            document = create_a_new_top_level_traversable(user_agent, Response(f"https://{letter}.test/"))
            document.event_loop.queue_a_task(TIMER_TASK_SOURCE, document, partial(self.observations.append, letter))
        self._world.run_until_idle()


def test_eager_search_begins_each_run_with_a_new_state() -> None:
    """There are two to the power of five states, with 80 actions between them."""
    effort = EagerSearch(PlainRace, lambda result, schedule: True, lambda result, schedule: None).attempt(100)
    assert effort.complete
    assert effort.runs <= 2**5


def names_of_first_run(late: Late | None) -> list[str]:
    """Return the names in the result of the first run of an attempt."""
    results: list[tuple[Any, ...]] = []
    EagerSearch(Race, lambda result, schedule: True, lambda result, schedule: results.append(result)).attempt(1, late)
    return [name for name, _ in results[0]]


@pytest.mark.parametrize("number", range(1, 7))
def test_late_process_acts_after_all_others(number: int) -> None:
    usual, late = names_of_first_run(None), names_of_first_run(Late(number, None))
    assert late == [*(name for name in usual if name != late[-1]), late[-1]]


def test_each_process_can_be_late() -> None:
    assert {names_of_first_run(Late(number, None))[-1] for number in range(1, 7)} == {*names_of_first_run(None)}


@pytest.mark.parametrize("passing", range(6))
def test_late_process_acts_after_so_many_others(passing: int) -> None:
    first, *others = names_of_first_run(None)
    assert names_of_first_run(Late(1, passing)) == [*others[:passing], first, *others[passing:]]


def test_attempt_without_a_late_process_of_that_number_is_as_usual() -> None:
    assert names_of_first_run(Late(7, None)) == names_of_first_run(None)


def test_climb_to_a_result_that_no_run_has_ends_at_its_bound() -> None:
    wanted = (*result_of(Seeded(0))[:-1], ("nobody", 0))
    assert attempt(Climb, wanted, 300) == (Effort(300, complete=False), [])


def test_two_climbs_to_one_result_perform_the_same_runs() -> None:
    wanted = result_of(Seeded(1))
    assert attempt(Climb, wanted, 20_000) == attempt(Climb, wanted, 20_000)
