"""A trial of another text: the outcomes of a program that come and go with it, each with a schedule and the changed steps.

Both texts are explored completely, and nothing is sampled. An outcome that comes is shown by a run of the other text, one that
goes by a run of the project's own. The steps of such a run that the other side does not have, with the same words in an
algorithm of the same id, are those to look at first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from modelcontext.judging.conformance.pools import ONE_AT_A_TIME
from modelcontext.judging.conformance.verdict import describe_error
from modelcontext.platform.infra.errors import SpecAssertionError
from modelcontext.programs.program.exploration import BOUND, Exploration, allowed_outcomes
from modelcontext.programs.tracing import trace
from modelcontext.programs.tracing.items import StepReached
from modelcontext.programs.tracing.probes import inventory
from modelcontext.spec.revisions.registry import REVISIONS

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.outcome import Outcome
    from modelcontext.spec.revisions.revision import Revision

#: Tasks that wait for a process at a time, for each process.
_AHEAD: Final = 4


@dataclass(frozen=True, slots=True)
class ChangedOutcome:
    """An outcome of one text only, a schedule that shows it there, and the steps of that run which the other lacks."""

    outcome: Outcome
    schedule: tuple[int, ...]
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcomes of one program that come and go; ``lost`` says why nothing is known, if nothing is."""

    come: tuple[ChangedOutcome, ...] = ()
    gone: tuple[ChangedOutcome, ...] = ()
    lost: str | None = None

    @property
    def is_changed(self) -> bool:
        """True if there is something to tell."""
        return bool(self.come or self.gone or self.lost)


def try_program(program: Program, bound: int = BOUND) -> Trial:
    """Compare the outcomes of a program by the text that stands in for its revision with those by the revision itself."""
    ours, theirs = REVISIONS.own(program.revision), REVISIONS[program.revision]
    with ONE_AT_A_TIME:
        own = allowed_outcomes(program, bound=bound, revision=ours)
        try:
            other = allowed_outcomes(program, bound=bound, revision=theirs)
        except (SpecAssertionError, Exception) as error:
            # A defect of the compiler, of whatever kind, is not to lose what is known of other programs.
            return Trial(lost=describe_error(error))
        if not (own.complete and other.complete):
            return Trial(lost=f"the search was cut off at {bound:,} runs")
        return Trial(_only(program, other, own, theirs, ours), _only(program, own, other, ours, theirs))


def _only(
    program: Program, here: Exploration, there: Exploration, revision: Revision, other: Revision
) -> tuple[ChangedOutcome, ...]:
    """Return the outcomes that are here and not there."""
    found = []
    for text in here.outcomes:
        if text not in there.outcomes:
            schedule = tuple(here.schedule_to(text))
            steps = tuple(_only_steps(program, schedule, revision, other))
            found.append(ChangedOutcome(here.outcomes[text], schedule, steps))
    return tuple(found)


def _only_steps(program: Program, schedule: Sequence[int], revision: Revision, other: Revision) -> Iterator[str]:
    """Yield the steps that a run takes and that the other text does not have, each once."""
    theirs = inventory(other.package).texts
    known = {(step.algorithm, text) for step, text in theirs.items()}
    taken = (frame.item for frame in trace(program, schedule, revision=revision).frames)
    steps = dict.fromkeys(item for item in taken if isinstance(item, StepReached))
    for step in steps:
        if (step.algorithm, step.text) not in known:
            yield f"{step.algorithm} {step.step}. {step.text}"


def try_all(programs: Sequence[Program], pool: Executor | None, workers: int, bound: int = BOUND) -> Iterator[Trial]:
    """Yield the trial of each program, in order; the pool makes them, if there is one."""
    if pool is None:
        yield from (try_program(program, bound) for program in programs)
        return
    # An interrupt need not wait for more than these.
    ahead = workers * _AHEAD
    futures = [pool.submit(try_program, program, bound) for program in programs[:ahead]]
    for index in range(len(programs)):
        yield futures[index].result()
        if index + ahead < len(programs):
            futures.append(pool.submit(try_program, programs[index + ahead], bound))
