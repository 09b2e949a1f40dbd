"""One run of one program on one product, held against what the specification allows."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.infra.errors import SpecAssertionError
from modelcontext.products.base import Ending, Observation
from modelcontext.program import explore
from modelcontext.program.outcome import Outcome, describe_entry
from modelcontext.specification import StepIndex, StepReference

if TYPE_CHECKING:
    from modelcontext.program.language import Program

#: How many runs of the model the search for an observed outcome may take.
JUDGE_BOUND = 20_000
#: How many runs may go into listing the allowed outcomes, which is for the reader only.
LIST_BOUND = 300


#: What the model may raise: a failed assertion of the specification, a program that never ends, or a bug of the model. One
#: program's error must not lose the results of all others.
MODEL_ERRORS = (SpecAssertionError, Exception)


def describe_error(error: BaseException) -> str:
    """An error of the model in one line, with the place in its code."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


class Standing(StrEnum):
    """What a run says about a product."""

    #: The outcome is allowed.
    PASS = "pass"
    #: The outcome is not allowed, or there is none because the product crashed or hung.
    FAIL = "fail"
    #: The search was cut off, so nothing is known.
    UNDECIDED = "undecided"
    #: The run itself failed, or the model could not say what is allowed.
    ERROR = "error"
    #: The product is not there.
    NOTRUN = "notrun"


#: Standings that say nothing about the product, so that a run with one of them is not sound.
UNSOUND = frozenset({Standing.UNDECIDED, Standing.ERROR, Standing.NOTRUN})


@dataclass(frozen=True)
class Verdict:
    """The standing, and for a failure: where the outcome leaves what is allowed.

    ``place`` names the log and the entry; ``observed`` says what was there, ``allowed`` what could have been, each with
    the step that it follows from where that is known. For the standings without a judgement ``observed`` says why.
    """

    standing: Standing
    observation: Observation | None
    observed: str = ""
    place: str = ""
    allowed: tuple[tuple[str, StepReference | None], ...] = ()
    runs: int = 0

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps that the product did not follow, as ``algorithm step``, each once."""
        named = (f"{step.algorithm} {step.number}" for _, step in self.allowed if step is not None)
        return tuple(dict.fromkeys(named))

    @property
    def allowed_text(self) -> str:
        """What was allowed instead, in words."""
        return " or ".join(dict.fromkeys(text for text, _ in self.allowed))


@dataclass(frozen=True)
class Listing:
    """The allowed outcomes of a program as far as they were listed; ``complete`` tells whether these are all."""

    outcomes: tuple[Outcome, ...]
    complete: bool
    runs: int


class Judge:
    """Judges observations; keeps what it has read of the specification's code between them."""

    def __init__(self, bound: int = JUDGE_BOUND) -> None:
        self._bound = bound
        self._steps = StepIndex()

    def judge(self, program: Program, observation: Observation) -> Verdict:
        """The verdict on one observation of the program."""
        if observation.ending in (Ending.CRASH, Ending.TIMEOUT):
            observed = f"{observation.ending}: {observation.detail}"
            return Verdict(Standing.FAIL, observation, observed, "the run", _some_end(program))
        if observation.outcome is None:
            return Verdict(Standing.ERROR, observation, observation.detail)
        try:
            membership = explore.judge(program, observation.outcome, bound=self._bound, locator=self._steps.locate)
        except MODEL_ERRORS as error:
            return Verdict(
                Standing.ERROR, observation, f"the model cannot say what is allowed: {describe_error(error)}"
            )
        if membership.departure is not None:
            departure = membership.departure
            return Verdict(
                Standing.FAIL,
                observation,
                describe_entry(departure.observed),
                "what never settles" if departure.log == "pending" else f"{departure.log}[{departure.index + 1}]",
                tuple(
                    (describe_entry(entry), step if isinstance(step, StepReference) else None)
                    for entry, step in departure.allowed
                ),
                membership.runs,
            )
        if membership.kind == "undecided":
            return Verdict(
                Standing.UNDECIDED,
                observation,
                f"the search was cut off at {membership.bound} runs",
                runs=membership.runs,
            )
        return Verdict(Standing.PASS, observation, runs=membership.runs)

    def listing(self, program: Program) -> Listing | None:
        """The outcomes that are allowed, listed as far as a moderate effort goes; ``None`` if the model cannot say."""
        try:
            exploration = explore.allowed_outcomes(program, bound=LIST_BOUND)
        except MODEL_ERRORS:
            return None
        return Listing(tuple(exploration.outcomes.values()), exploration.complete, exploration.runs)


def _some_end(program: Program) -> tuple[tuple[str, StepReference | None], ...]:
    """How a run may end, in words: what there is to say about a run that had no end."""
    try:
        outcome = explore.run_once(program).outcome
    except MODEL_ERRORS:
        return (("an outcome", None),)
    last = [describe_entry(log[-1]) for log in outcome.logs.values()]
    return (("an outcome, which may end with " + ", ".join(last) if last else "an empty outcome", None),)
