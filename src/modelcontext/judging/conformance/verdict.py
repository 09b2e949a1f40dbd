"""Verdicts on runs of programs: whether the specification allows what a product did."""

from __future__ import annotations

import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.platform.infra.errors import NoMeaningError, SpecAssertionError
from modelcontext.programs.program.exploration import allowed_outcomes, run_once
from modelcontext.programs.program.membership import judge
from modelcontext.programs.program.outcome import Outcome, describe_entry, loads
from modelcontext.running.products.base import Ending, Observation
from modelcontext.spec.revisions.registry import REVISIONS
from modelcontext.spec.specification import StepIndex, StepReference

if TYPE_CHECKING:
    from modelcontext.judging.conformance.explored import Explorations, KeptExploration
    from modelcontext.programs.program.language import Program
    from modelcontext.spec.revisions.revision import Revision

#: The largest number of runs of the model in the search for an observed outcome.
BOUND = 20_000
#: The largest number of runs for listing the allowed outcomes, which is for the reader only.
LIST_BOUND = 300
#: The errors of the model: a failed assertion of the specification, a program that never ends, or a bug of the model.
#: One program's error must not lose the results of all others.
MODEL_ERRORS = (SpecAssertionError, Exception)


def describe_error(error: BaseException) -> str:
    """Return an error of the model in one line, with the place in its code, or in the text if that is what is wrong."""
    if isinstance(error, NoMeaningError):
        return str(error)
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


class Standing(StrEnum):
    """The statement of a run about a product."""

    #: The outcome is allowed.
    PASS = "pass"
    #: The outcome is not allowed, or there is none because the product crashed or hung.
    FAIL = "fail"
    #: The search was cut off, so nothing is known.
    UNDECIDED = "undecided"
    #: The run itself failed, or the model could not say what is allowed.
    ERROR = "error"
    #: The product is not available.
    NOTRUN = "notrun"


#: Standings that say nothing about the product, so that a run with one of them is not sound.
UNSOUND = frozenset({Standing.UNDECIDED, Standing.ERROR, Standing.NOTRUN})


@dataclass(frozen=True)
class Verdict:
    """The standing, and for a failure the place where the outcome leaves the allowed ones.

    ``place`` names the log and the entry, ``observed`` describes that entry, and ``allowed`` the allowed ones, each with
    the step that it follows from, if known. For the standings without an answer of the model ``observed`` says why. An
    allowed outcome that had to be searched for has a ``schedule`` that shows it.
    """

    standing: Standing
    observation: Observation | None
    observed: str = ""
    place: str = ""
    allowed: tuple[tuple[str, StepReference | None], ...] = ()
    schedule: Sequence[int] | None = None

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps that the product did not follow, as ``algorithm step``, each once."""
        named = (f"{step.algorithm} {step.number}" for _, step in self.allowed if step is not None)
        return tuple(dict.fromkeys(named))

    @property
    def allowed_text(self) -> str:
        """The allowed entries, in words."""
        return " or ".join(dict.fromkeys(text for text, _ in self.allowed))


@dataclass(frozen=True)
class Listing:
    """The allowed outcomes of a program, all of them if ``complete``."""

    outcomes: tuple[Outcome, ...]
    complete: bool
    runs: int


class Verdicts:
    """Verdicts on observations, for which the specification's code is read only once.

    Args:
        bound: the largest number of runs in the search for an outcome.
        are_pinned: the logs of the observations decide most of the order.
        explorations: the outcomes that are known already, among which nothing has to be searched for.
    """

    def __init__(
        self, bound: int = BOUND, *, are_pinned: bool = False, explorations: Explorations | None = None
    ) -> None:
        self._bound = bound
        self._are_pinned = are_pinned
        self._explorations = explorations
        self._steps = StepIndex()

    def verdict_on(self, program: Program, observation: Observation, revision: Revision | None = None) -> Verdict:
        """Return the verdict on one observation of the program, by a revision: the program's own by default."""
        if observation.ending in (Ending.CRASH, Ending.TIMEOUT):
            observed = f"{observation.ending}: {observation.detail}"
            return Verdict(Standing.FAIL, observation, observed, "the run", _example_end(program))
        if observation.outcome is None:
            return Verdict(Standing.ERROR, observation, observation.detail)
        known = self._known(program) if revision is None else None
        if known is not None and observation.outcome.canonical in known.outcomes:
            return Verdict(Standing.PASS, observation)
        try:
            membership = judge(
                program,
                observation.outcome,
                bound=self._bound,
                locator=self._steps.locate,
                revision=revision,
                is_pinned=self._are_pinned,
            )
        except MODEL_ERRORS as error:
            reason = f"the model cannot compute the allowed outcomes: {describe_error(error)}"
            return Verdict(Standing.ERROR, observation, reason)
        if (departure := membership.departure) is not None:
            place = "what never settles" if departure.log == "pending" else f"{departure.log}[{departure.index + 1}]"
            allowed = tuple(
                (describe_entry(entry), step if isinstance(step, StepReference) else None)
                for entry, step in departure.allowed
            )
            observed = describe_entry(departure.observed)
            return Verdict(Standing.FAIL, observation, observed, place, allowed)
        if membership.kind == "undecided":
            reason = f"the search reached its limit of {membership.bound} runs"
            return Verdict(Standing.UNDECIDED, observation, reason)
        return Verdict(Standing.PASS, observation, schedule=membership.schedule)

    def listing(self, program: Program) -> Listing | None:
        """List the allowed outcomes, as far as they are known or :data:`LIST_BOUND` runs find them.

        It is ``None`` if the model cannot say.
        """
        known = self._known(program)
        if known is not None:
            return Listing(tuple(map(loads, sorted(known.outcomes))), True, 0)
        try:
            exploration = allowed_outcomes(program, bound=LIST_BOUND)
        except MODEL_ERRORS:
            return None
        outcomes = tuple(exploration.outcomes[text] for text in sorted(exploration.outcomes))
        return Listing(outcomes, exploration.complete, exploration.runs)

    def _known(self, program: Program) -> KeptExploration | None:
        """Return all outcomes of a program, if they are known, and its revision itself decides."""
        if self._explorations is None or program.revision in REVISIONS.stand_ins:
            return None
        known = self._explorations.find(program)
        return known if known is not None and known.is_complete else None


def _example_end(program: Program) -> tuple[tuple[str, StepReference | None], ...]:
    """Describe one end of the program that is allowed, for a run that did not end."""
    try:
        outcome = run_once(program).outcome
    except MODEL_ERRORS:
        return (("an outcome", None),)
    last = [describe_entry(log[-1]) for log in outcome.logs.values()]
    return (("an outcome, which may end with " + ", ".join(last) if last else "an empty outcome", None),)
