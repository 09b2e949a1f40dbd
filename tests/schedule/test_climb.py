"""A climb leads to any result of a race, by changing what came closest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from modelcontext.html.event_loop import DOM_MANIPULATION_TASK_SOURCE, TIMER_TASK_SOURCE
from modelcontext.html.loading import Response, create_a_new_top_level_traversable
from modelcontext.schedule.choose import Chooser, Replay, Seeded
from modelcontext.schedule.climb import Climb
from modelcontext.schedule.explore import Effort, StopSearch
from modelcontext.world import World

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


def result_of(chooser: Chooser) -> tuple[Any, ...]:
    race = Race(chooser)
    race.run()
    return race.result()


def climb_to(wanted: tuple[Any, ...], bound: int) -> tuple[Effort, list[Sequence[int]]]:
    """Return the effort of a climb, and the schedules that it found."""
    found: list[Sequence[int]] = []

    def is_promising(result: tuple[Any, ...], schedule: Sequence[int]) -> bool:
        return result == wanted[: len(result)]

    def take(result: tuple[Any, ...], schedule: Sequence[int]) -> None:
        assert is_promising(result, schedule)
        if result == wanted:
            found.append(list(schedule))
            raise StopSearch

    return Climb(Race, is_promising, take).attempt(bound), found


@pytest.mark.parametrize("seed", range(5))
def test_climb_finds_one_of_half_a_million_results(seed: int) -> None:
    wanted = result_of(Seeded(seed))
    effort, found = climb_to(wanted, 20_000)
    assert effort.stopped
    assert not effort.complete
    assert result_of(Replay(found[0])) == wanted


def test_climb_to_a_result_that_no_run_has_ends_at_its_bound() -> None:
    wanted = (*result_of(Seeded(0))[:-1], ("nobody", 0))
    assert climb_to(wanted, 300) == (Effort(300, complete=False), [])


def test_two_climbs_to_one_result_perform_the_same_runs() -> None:
    wanted = result_of(Seeded(1))
    assert climb_to(wanted, 20_000) == climb_to(wanted, 5_000)
