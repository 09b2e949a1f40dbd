"""Repeated runs of a program, with a tally of distinct observations, each judged once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from modelcontext.judging.conformance.verdict import UNSOUND, Standing, Verdict, Verdicts

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.steering import TimetableSearch
    from modelcontext.programs.program.timetable import Timetable
    from modelcontext.running.products.base import Observation, Product


@dataclass(frozen=True)
class ShownObservation:
    """A distinct observation, with or without an outcome, its number, and its verdict if it was judged."""

    times: int
    observation: Observation
    verdict: Verdict | None


def run_often(
    program: Program, product: Product, times: int, progress: Callable[[int], None] = lambda runs: None
) -> list[Observation]:
    """Run a program a number of ``times``; ``progress`` is called with the number of runs in each batch."""
    observations: list[Observation] = []
    while len(observations) < times:
        more = product.run_many([program] * min(product.batch, times - len(observations)))
        observations += more
        progress(len(more))
    return observations


@dataclass(frozen=True)
class SteeredRun:
    """A run under a timetable, with its observation; ``is_meant`` says whether it is what the search is for."""

    observation: Observation
    is_meant: bool
    timetable: Timetable


def run_steered(
    program: Program,
    product: Product,
    search: TimetableSearch,
    times: int,
    progress: Callable[[int], None] = lambda runs: None,
) -> Iterator[SteeredRun]:
    """Run a program up to a number of ``times``, steered by a search: one run for each that is asked for."""
    for _ in range(times):
        timetable = search.next()
        observation = product.run_steered(program, timetable)
        is_meant = search.learn(observation.outcome, observation.stuck)
        progress(1)
        yield SteeredRun(observation, is_meant, timetable)


def count(program: Program, observations: Sequence[Observation], verdicts: Verdicts | None) -> list[ShownObservation]:
    """Tally the runs of one program: first observations that are not allowed, last those that are."""
    groups: dict[tuple[str, str], list[Observation]] = {}
    for observation in observations:
        outcome = observation.outcome
        key = (observation.ending, observation.detail if outcome is None else outcome.canonical)
        groups.setdefault(key, []).append(observation)
    shown = [
        ShownObservation(len(group), group[0], verdicts.verdict_on(program, group[0]) if verdicts else None)
        for group in groups.values()
    ]
    return sorted(shown, key=lambda one: (_rank(one.verdict), -one.times))


def _rank(verdict: Verdict | None) -> int:
    if verdict is None or verdict.standing is Standing.PASS:
        return 2
    return 1 if verdict.standing in UNSOUND else 0
