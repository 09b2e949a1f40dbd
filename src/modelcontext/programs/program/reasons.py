"""Reasons why a search for the outcomes of a program has not performed a schedule: of all outcomes, or of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from modelcontext.ground.schedule.choose import Replay
from modelcontext.ground.schedule.reasons import Explanation, why_not
from modelcontext.programs.program.departure import Departure, Follower
from modelcontext.programs.program.exploration import BOUND, explored, run_once
from modelcontext.programs.program.interpreter import Run
from modelcontext.programs.program.outcome import Outcome

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program


def why_not_explored(program: Program, schedule: Sequence[int], *, bound: int = BOUND) -> Explanation[Run]:
    """Return why the exploration of all outcomes has not performed a schedule, and the one that stands for it.

    Args:
        program: the program.
        schedule: the answers to the free choices; further choices take the oldest option.
        bound: the limit of runs.

    Raises:
        RunawayError: if the program schedules itself forever.
    """
    make = partial(Run, program)
    return why_not(explored(make, bound), make, schedule)


def departure_under(program: Program, schedule: Sequence[int], observed: Outcome) -> Departure | None:
    """Return where the run under a schedule leaves an observed outcome; a search along it gives the schedule up there.

    None is returned if the run shows the outcome.

    Raises:
        ScheduleError: if the schedule does not fit the program.
    """
    follower = Follower(observed)
    run = Run(program, Replay(schedule))
    outcome = run.run()
    logs: dict[str, list[Mapping[str, Any]]] = {}
    for log, entry in run.observations:
        logs.setdefault(log, []).append(entry)
        if not follower.is_on_the_way(Outcome(logs), schedule):
            return follower.departure(lambda _: run_once(program, schedule).sources)
    if outcome.canonical == observed.canonical:
        return None
    follower.ended_short(outcome, schedule)
    return follower.departure(lambda _: run_once(program, schedule).sources)
