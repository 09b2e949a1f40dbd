"""A trial of another text: the outcomes of a program that come and go with it, each with a schedule and the changed steps.

Both texts are explored completely, and nothing is sampled. What the project's own text allows is kept between commands, with
the steps that it reaches, and a program that cannot tell the texts apart (:mod:`modelcontext_prose.difference`) is not
explored again. An outcome that comes is shown by a run of the other text, one that goes by a run of the project's own. The
steps of such a run that the other side does not have, with the same words in an algorithm of the same id, are those to look
at first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from modelcontext.judging.conformance.explored import explore
from modelcontext.judging.conformance.pools import ONE_AT_A_TIME, in_turn
from modelcontext.judging.conformance.verdict import describe_error
from modelcontext.platform.infra.errors import SpecAssertionError
from modelcontext.programs.program.exploration import BOUND, Exploration, allowed_outcomes, run_once
from modelcontext.programs.program.outcome import loads
from modelcontext.programs.tracing.instrumentation import StepOf
from modelcontext.programs.tracing.probes import inventory, with_probes
from modelcontext.spec.revisions.registry import REVISIONS
from modelcontext.spec.specification import Step
from modelcontext.spec.specification.comparison.steps import steps_of_one
from modelcontext_prose.comparison import nearest

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from modelcontext.judging.conformance.explored import Explorations, KeptExploration
    from modelcontext.programs.program.language import Program
    from modelcontext.programs.program.outcome import Outcome
    from modelcontext.spec.revisions.revision import Revision
    from modelcontext_prose.difference import Difference


@dataclass(frozen=True, slots=True)
class ChangedOutcome:
    """An outcome of one text only, a schedule that shows it there, and the steps of that run which the other lacks.

    ``like`` is the nearest outcome of the other text.
    """

    outcome: Outcome
    schedule: tuple[int, ...]
    steps: tuple[str, ...]
    like: Outcome | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcomes of one program that come and go; ``lost`` says why nothing is known, if nothing is.

    ``staying`` counts the outcomes that both texts allow a program that changes. ``pending`` has the promises that can stay
    pending by the other text only, ``settling`` those that can by the project's own only.
    """

    come: tuple[ChangedOutcome, ...] = ()
    gone: tuple[ChangedOutcome, ...] = ()
    lost: str | None = None
    staying: int = 0
    pending: tuple[str, ...] = ()
    settling: tuple[str, ...] = ()

    @property
    def is_changed(self) -> bool:
        """True if there is something to tell."""
        return bool(self.come or self.gone or self.lost)


@dataclass(frozen=True, slots=True)
class Tried:
    """The trial of a program, and what its own text allows it, if that was not known before."""

    trial: Trial
    explored: KeptExploration | None = None


def try_program(given: tuple[Program, KeptExploration | None], difference: Difference) -> Tried:
    """Compare the outcomes of a program by the text that stands in for its revision with those by the revision itself.

    Args:
        given: the program, and what the revision itself allows it, if that is known.
        difference: where the two texts differ.
    """
    program, known = given
    with ONE_AT_A_TIME:
        own = known or explore(program)
        return Tried(_compared(program, own, difference), own if known is None else None)


def _compared(program: Program, own: KeptExploration, difference: Difference) -> Trial:
    ours, theirs = REVISIONS.own(program.revision), REVISIONS[program.revision]
    cut_off = Trial(lost=f"the search reached its limit of {BOUND:,} runs")
    if not own.is_complete:
        return cut_off
    if not difference.concerns(own.reached):
        return Trial()
    try:
        other = allowed_outcomes(program, bound=BOUND, revision=theirs)
    except (SpecAssertionError, Exception) as error:
        # A defect of the compiler, of whatever kind, is not to lose what is known of other programs.
        return Trial(lost=describe_error(error))
    if not other.complete:
        return cut_off
    gone = own.outcomes.difference(other.outcomes)
    come = other.outcomes.keys() - own.outcomes
    if not (come or gone):
        return Trial()
    before, after = [*map(loads, sorted(own.outcomes))], [*other.outcomes.values()]
    return Trial(
        _shown(program, other, come, (theirs, ours), before),
        _shown(program, allowed_outcomes(program, revision=ours), gone, (ours, theirs), after) if gone else (),
        staying=len(own.outcomes) - len(gone),
        pending=tuple(sorted(_pending(after) - _pending(before))),
        settling=tuple(sorted(_pending(before) - _pending(after))),
    )


def _pending(outcomes: Iterable[Outcome]) -> set[str]:
    return {label for one in outcomes for label in one.pending}


def _shown(
    program: Program,
    found: Exploration,
    texts: Collection[str],
    revisions: tuple[Revision, Revision],
    others: Sequence[Outcome],
) -> tuple[ChangedOutcome, ...]:
    """Return outcomes that only the first of two revisions has, each shown by a run; ``others`` are those of the second."""
    revision, other = revisions
    reached: dict[StepOf, None] = {}
    watched = with_probes(revision, lambda step: reached.update({step: None}))
    own = inventory(revision.package).texts
    only = _steps_of_one(own, inventory(other.package).texts)
    shown = []
    for text in found.outcomes:
        if text in texts:
            schedule = tuple(found.schedule_to(text))
            reached.clear()
            run_once(program, schedule, revision=watched)
            words = tuple(f"{step.algorithm} {step.number}. {own[step]}" for step in reached if step in only)
            outcome = found.outcomes[text]
            shown.append(ChangedOutcome(outcome, schedule, words, nearest(outcome, others)))
    return tuple(shown)


def _steps_of_one(own: Mapping[StepOf, str], other: Mapping[StepOf, str]) -> frozenset[StepOf]:
    """Return the steps of a text that stand at no place of another text; a copy of a step is one of them."""
    return frozenset(
        StepOf(algorithm, step.number)
        for algorithm in {step.algorithm for step in own}
        for step in steps_of_one(_steps(own, algorithm), _steps(other, algorithm))
    )


def _steps(texts: Mapping[StepOf, str], algorithm: str) -> list[Step]:
    return [Step(step.number, text) for step, text in texts.items() if step.algorithm == algorithm]


def try_all(
    programs: Sequence[Program],
    explorations: Explorations,
    difference: Difference,
    pool: Executor | None = None,
    workers: int = 1,
) -> Iterator[Trial]:
    """Yield the trial of each program, in order; the pool makes them, if there is one.

    Args:
        programs: the programs.
        explorations: what is known of the project's own text; what is found is added.
        difference: where the two texts differ.
        pool: the processes that work.
        workers: their number.
    """
    known = [explorations.find(program) for program in programs]
    open_ = [
        index
        for index, (program, one) in enumerate(zip(programs, known, strict=True))
        if program.revision in REVISIONS.stand_ins
        and (one is None or not one.is_complete or difference.concerns(one.reached))
    ]
    given = [(programs[index], known[index]) for index in open_]
    tried = in_turn(partial(try_program, difference=difference), given, pool, workers)
    waiting = set(open_)
    for index, program in enumerate(programs):
        if index not in waiting:
            yield Trial()
            continue
        one = next(tried)
        if one.explored is not None:
            explorations.add(program, one.explored)
        yield one.trial
