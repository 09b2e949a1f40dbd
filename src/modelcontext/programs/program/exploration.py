"""The exploration of a program: the outcomes that the specification allows it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from modelcontext.ground.schedule import footprint
from modelcontext.ground.schedule.choose import Chooser, Replay
from modelcontext.ground.schedule.graph import EndlessError, StateGraph
from modelcontext.ground.schedule.search import every_schedule
from modelcontext.ground.schedule.way import Way
from modelcontext.platform.html.user_agent import RunawayError
from modelcontext.programs.program.departure import Follower
from modelcontext.programs.program.found import FoundOutcomes
from modelcontext.programs.program.interpreter import Run
from modelcontext.programs.program.location import running_line
from modelcontext.programs.program.outcome import Outcome, canonical_entry

if TYPE_CHECKING:
    from modelcontext.ground.schedule.node import Transition
    from modelcontext.programs.program.language import Program
    from modelcontext.spec.revisions.revision import Revision

#: The default limit of runs for an exploration.
BOUND: Final = 100_000

#: Returns the step of an algorithm that a line of a Python file belongs to.
Locator = Callable[[str, int], object]


@dataclass(frozen=True, slots=True)
class Exploration:
    """The outcomes that a program may have.

    ``outcomes`` has each by its canonical text, for which ``schedule_to`` returns a schedule that shows it, and
    ``decisive_choice`` the choice in that schedule after which no schedule leads to another outcome: the position of its
    answer, or None if there is no such choice, because there is one outcome only, or because the search was cut off. If
    ``complete`` is false the search reached its limit of ``bound`` runs, and there may be more outcomes: such an exploration
    judges nothing.
    ``states`` and ``transitions`` count those seen, ``covered`` the schedules that they stand for, ``blocked`` the runs that
    found nothing new. ``seconds`` is the time that the search took.
    """

    outcomes: Mapping[str, Outcome]
    schedule_to: Callable[[str], Sequence[int]]
    decisive_choice: Callable[[str], int | None]
    complete: bool
    runs: int
    bound: int
    states: int = 0
    transitions: int = 0
    covered: int = 0
    blocked: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run. ``sources`` has the step that each entry of each log follows from, or None."""

    outcome: Outcome
    schedule: Sequence[int]
    sources: Mapping[str, Sequence[object]] = field(default_factory=dict)


def allowed_outcomes(
    program: Program,
    *,
    bound: int = BOUND,
    naive: bool = False,
    revision: Revision | None = None,
    run: type[Run] = Run,
    until: Outcome | None = None,
) -> Exploration:
    """Return the outcomes that the specification allows a program.

    Args:
        program: the program.
        bound: the limit of runs.
        naive: enumerates every schedule instead of every state, for comparisons.
        revision: the revision to run; the program's own by default.
        run: the class of the runs; one whose choices are fewer has fewer outcomes.
        until: an outcome that ends the exploration as soon as it is found; the exploration is not complete then.

    Raises:
        RunawayError: if the program schedules itself forever.
        SpecAssertionError: if the specification, or the model, has a bug.
    """
    started = time.perf_counter()
    make = partial(run, program, revision=revision)
    if naive:
        return _every_outcome(make, bound, started)
    graph = explored(make, bound, until)
    outcomes = FoundOutcomes(graph.result_set())

    def way_to(text: str) -> Sequence[Transition]:
        suffix = outcomes.suffix_of(outcomes[text])
        assert suffix is not None
        return graph.way_to(suffix)

    def decisive_choice(text: str) -> int | None:
        if not graph.is_complete:
            return None
        transitions = way_to(text)
        decided = next(index for index, one in enumerate(transitions) if len(graph.result_set(one.target)) == 1)
        way = _followed(make, transitions)
        answers = [*way.begun, len(way.schedule)][decided + 1]
        return answers - 1 if answers else None

    return Exploration(
        outcomes,
        lambda text: _followed(make, way_to(text)).schedule,
        decisive_choice,
        graph.is_complete,
        graph.runs,
        bound,
        graph.states,
        graph.transitions,
        graph.schedules(),
        graph.blocked,
        time.perf_counter() - started,
    )


def explored(make: Callable[[Chooser], Run], bound: int, until: Outcome | None = None) -> StateGraph:
    """Return the graph of all runs, explored as far as the bound allows, or until an outcome is found.

    Raises:
        RunawayError: if the program schedules itself forever.
    """
    graph = StateGraph(make, canonical_entry, bound)
    try:
        graph.explore(Follower(until).is_completed_by if until is not None else None)
    except EndlessError:
        raise RunawayError("a schedule never ends: look for a script that starts new work forever") from None
    return graph


def _followed(make: Callable[[Chooser], Run], transitions: Sequence[Transition]) -> Way:
    """Lead a run along transitions to its end."""
    way = Way(transitions)
    with footprint.one_run():
        way.run = run = make(way)
        run.run()
    return way


def _every_outcome(make: Callable[[Chooser], Run], bound: int, started: float) -> Exploration:
    outcomes: dict[str, Outcome] = {}
    schedules: dict[str, Sequence[int]] = {}

    def take(outcome: Outcome, schedule: Sequence[int]) -> None:
        outcomes.setdefault(outcome.canonical, outcome)
        schedules.setdefault(outcome.canonical, schedule)

    effort = every_schedule(make, take, bound)
    seconds = time.perf_counter() - started
    return Exploration(
        outcomes,
        schedules.__getitem__,
        lambda text: None,
        effort.complete,
        effort.runs,
        bound,
        covered=effort.runs,
        seconds=seconds,
    )


def run_once(
    program: Program, schedule: Sequence[int] = (), locator: Locator | None = None, revision: Revision | None = None
) -> RunRecord:
    """Run a program under one schedule: the given answers, then first in, first out.

    Args:
        program: the program.
        schedule: the answers to the free choices, as reported by another run.
        locator: finds the step that each entry follows from; the record has none without it.
        revision: the revision to run; the program's own by default.

    Raises:
        ScheduleError: if the schedule does not fit the program.
        RunawayError: if the program schedules itself forever.
    """
    chooser = Replay(schedule)
    run = Run(program, chooser, running_line if locator is not None else None, revision)
    outcome = run.run()
    sources = {
        name: [locator(*source) if locator is not None and isinstance(source, tuple) else None for source in sources]
        for name, sources in run.sources.items()
    }
    return RunRecord(outcome, chooser.schedule, sources)
