"""The check of a litmus test: its kinds, its promoted outcomes, the steps that it names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from modelcontext.ground.words import counted
from modelcontext.judging.litmus.language import Litmus, Must
from modelcontext.programs.program.outcome import Outcome, describe

#: The numbers of the steps of each algorithm.
Steps = Mapping[str, Sequence[str]]


def problems_of_kinds(litmus: Litmus, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a message for each kind that does not fit the outcomes."""
    for kind in litmus.kinds:
        count = sum(1 for outcome in outcomes if kind.has(outcome))
        if kind.must is Must.REQUIRED and count < len(outcomes):
            example = next(outcome for outcome in outcomes if not kind.has(outcome))
            yield f"not required: {kind.words!r} holds for {count} of {counted(len(outcomes), 'outcome')}{_shown(example)}"
        elif kind.must is Must.FORBIDDEN and count:
            example = next(outcome for outcome in outcomes if kind.has(outcome))
            yield f"not forbidden: {kind.words!r} holds for {count} of {counted(len(outcomes), 'outcome')}{_shown(example)}"
        elif kind.must is Must.ALLOWED and not count:
            yield f"not allowed: {kind.words!r} holds for no outcome"
        elif kind.must is Must.ALLOWED and count == len(outcomes):
            yield f"required, not only allowed: {kind.words!r} holds for every outcome"


def problems_of_promoted(litmus: Litmus, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield a message for each difference between the promoted outcomes and those that the model finds."""
    promoted = litmus.promoted()
    if promoted is None:
        yield f"no outcomes are promoted; look at the outcomes, then run `modelcontext litmus promote {litmus.name}`"
        return
    for outcome in outcomes:
        if outcome not in promoted:
            yield f"allowed, and not promoted:{_shown(outcome)}"
    for outcome in promoted:
        if outcome not in outcomes:
            yield f"promoted, and not allowed:{_shown(outcome)}"


def problems_of_steps(litmus: Litmus, steps: Steps) -> Iterator[str]:
    """Yield a message for each step and algorithm that the specification does not have."""
    for text in litmus.steps:
        algorithm, _, number = text.partition(" ")
        if algorithm not in steps:
            yield f"{text!r}: the specification has no algorithm {algorithm!r}"
        elif number not in steps[algorithm]:
            yield f"{text!r}: {algorithm} has no step {number!r}"
    for algorithm in litmus.program.algorithms:
        if algorithm not in steps:
            yield f"algorithms: the specification has no algorithm {algorithm!r}"


def _shown(outcome: Outcome) -> str:
    return "".join(f"\n    {line}" for line in describe(outcome))
