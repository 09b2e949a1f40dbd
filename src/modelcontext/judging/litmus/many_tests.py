"""The exploration of many litmus tests, in this process or others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from modelcontext.judging.conformance.pools import ONE_AT_A_TIME
from modelcontext.platform.html.user_agent import RunawayError
from modelcontext.platform.infra.errors import NoMeaningError, SpecAssertionError
from modelcontext.programs.program.exploration import Exploration, allowed_outcomes
from modelcontext.programs.program.language import Program, ProgramError

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from modelcontext.judging.litmus.language import Litmus


def explore(program: Program, bound: int) -> Exploration:
    """Explore a program. Runs in a worker. The schedules are dropped: they need the graph, which stays in the worker."""
    no_schedules: dict[str, Sequence[int]] = {}
    no_choices: dict[str, int] = {}
    with ONE_AT_A_TIME:
        found = allowed_outcomes(program, bound=bound)
    return replace(found, schedule_to=no_schedules.__getitem__, decisive_choice=no_choices.__getitem__)


def explore_all(
    tests: Sequence[Litmus],
    bound: int,
    pool: Executor | None = None,
    progress: Callable[[], None] = lambda: None,
    lost: dict[str, str] | None = None,
) -> Iterator[tuple[Litmus, Exploration]]:
    """Yield the exploration of each test, in order; computed by the pool if there is one.

    Args:
        tests: the tests.
        bound: the limit of runs for each.
        pool: the processes that explore.
        progress: called after each test.
        lost: gets the tests that reach a step without a meaning, by name, with what it lacks; without it this is an error.

    Raises:
        ProgramError: if the model cannot say what a test is allowed.
    """
    futures = [pool.submit(explore, litmus.program, bound) for litmus in tests] if pool else []
    for index, litmus in enumerate(tests):
        try:
            found = futures[index].result() if pool else allowed_outcomes(litmus.program, bound=bound)
        except (RunawayError, SpecAssertionError) as error:
            if lost is not None and isinstance(error, NoMeaningError):
                lost[litmus.name] = str(error)
                progress()
                continue
            raise ProgramError(
                str(litmus.path), "", f"the model cannot compute the allowed outcomes: {error}"
            ) from None
        progress()
        yield litmus, found
