"""Two outcomes compared, and the trial of a program told: each difference is one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.reading import loads_toml
from modelcontext_prose.comparison import differences, nearest, paired
from modelcontext_prose.consequences import Effect
from modelcontext_prose.told import Teller, summary
from modelcontext_prose.trial import ChangedOutcome, Trial
from tests.small_programs import LISTS

PROGRAM = loads_toml(LISTS)


def fulfilled(label: str, value: object = 1, document: str = "top") -> Mapping[str, Any]:
    return {"in": document, "promise": label, "fulfilled": value}


def rejected(label: str, error: str) -> Mapping[str, Any]:
    return {"in": "top", "promise": label, "rejected": {"$error": error}}


def outcome(*entries: Mapping[str, Any], pending: Sequence[str] = ()) -> Outcome:
    return Outcome({"top": entries}, pending)


def changed(one: Outcome, *steps: str, like: Outcome | None = None) -> ChangedOutcome:
    return ChangedOutcome(one, (1, 0, 0), steps, like)


A, B, C = fulfilled("a"), fulfilled("b"), fulfilled("c")


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (outcome(A, B, C), outcome(C, A, B), ["c: fulfilled with 1, now before: a: fulfilled with 1"]),
        (outcome(A, B, C), outcome(B, C, A), ["a: fulfilled with 1, now after: c: fulfilled with 1"]),
        (outcome(A, B), outcome(B, A), ["b: fulfilled with 1, now before: a: fulfilled with 1"]),
        (outcome(A, A, B), outcome(A, B, A), ["b: fulfilled with 1, now before: a: fulfilled with 1"]),
        (outcome(B, A, A), outcome(A, B, A), ["a: fulfilled with 1, now before: b: fulfilled with 1"]),
        (outcome(A, A, A, B), outcome(A, B, A, A), ["b: fulfilled with 1, now before: a: fulfilled with 1"]),
        (outcome(A, B, A, B), outcome(A, A, B, B), ["a: fulfilled with 1, now before: b: fulfilled with 1"]),
        (
            outcome(A, B),
            outcome(A, rejected("b", "AbortError")),
            ["b: rejected with AbortError, instead of: b: fulfilled with 1"],
        ),
        (
            outcome(A, B),
            outcome(rejected("b", "AbortError"), A),
            ["b: rejected with AbortError, instead of: b: fulfilled with 1"],
        ),
        (outcome(A), outcome(A, B), ["b: fulfilled with 1, which is new"]),
        (outcome(A, B), outcome(A), ["b: fulfilled with 1 is missing"]),
        (
            outcome(A, B),
            outcome(A, pending=["top: b"]),
            ["b: fulfilled with 1 is missing", "top: b: never settled, which is new"],
        ),
        (
            outcome(pending=["top: b"]),
            outcome(B),
            ["b: fulfilled with 1, which is new", "top: b: never settled, which is missing"],
        ),
        (
            outcome(A, fulfilled("b", document="frame")),
            outcome(A, fulfilled("b", 2, document="frame")),
            ["[frame] b: fulfilled with 2, instead of: b: fulfilled with 1"],
        ),
        (outcome(A, B), outcome(A, B), []),
    ],
)
def test_difference_is_a_line(before: Outcome, after: Outcome, lines: Sequence[str]) -> None:
    assert list(differences(before, after)) == lines


def test_nearest_outcomes_are_paired_and_others_stay_alone() -> None:
    gone = [outcome(A, B, C), outcome(A)]
    come = [outcome(A, rejected("b", "AbortError")), outcome(C, A, B), outcome(fulfilled("d"))]
    assert paired(gone, come) == {0: 1, 1: 0}
    assert nearest(outcome(A, B), gone) == gone[0]
    assert nearest(outcome(A, B), []) is None


def told(trial: Trial, teller: Teller | None = None, name: str = "lists") -> list[str]:
    return list((teller or Teller(" --text other.bs")).lines(name, PROGRAM, trial, [("chromium", Effect.DEVIATES)]))


def test_outcomes_that_differ_in_the_same_way_are_told_once_with_the_first_run() -> None:
    trial = Trial(
        (changed(outcome(B, A), "x 1. Go."), changed(outcome(B, A, C), "x 1. Go.")),
        (changed(outcome(A, B), "x 1. Come."), changed(outcome(A, B, C))),
        pending=("top: a",),
        settling=("top: b",),
    )
    assert told(trial) == [
        "lists: A page lists tools.",
        "  ~ 2 pairs of outcomes, for example:",
        "      b: fulfilled with 1, now before: a: fulfilled with 1",
        "    + its run takes x 1. Go.",
        "    + modelcontext trace lists --schedule 1 --text other.bs",
        "    - its run takes x 1. Come.",
        "    - modelcontext trace lists --schedule 1",
        "  only with the other text: top: a: never settled",
        "  only with the unchanged text: top: b: never settled",
        "  chromium deviates now",
    ]


def test_outcome_that_comes_is_told_by_the_nearest_one_or_as_a_whole_if_that_is_shorter() -> None:
    more = [fulfilled(f"p{number}") for number in range(4)]
    near = Trial(come=(changed(outcome(*more, A), like=outcome(*more)),))
    assert told(near)[1:4] == [
        "  + 1 outcome:",
        "      like an outcome of the unchanged text, except:",
        "      a: fulfilled with 1, which is new",
    ]
    far = Trial(gone=(changed(outcome(A), like=outcome(B)),))
    assert told(far)[1:3] == ["  - 1 outcome:", "      1. a: fulfilled with 1"]


def test_program_that_changes_as_another_one_and_words_of_a_step_take_one_line() -> None:
    teller = Teller("")
    trial = Trial((changed(outcome(B), "x 1. Go."),))
    assert told(trial, teller)[3] == "    + its run takes x 1. Go."
    assert told(trial, teller, "more") == ["more: changes like lists", "  chromium deviates now"]
    other = Trial((changed(outcome(C), "x 1. Go."),))
    assert told(other, teller, "third")[3] == "    + its run takes x 1"


def test_long_program_ends_with_the_number_of_what_is_not_told() -> None:
    come = tuple(changed(outcome(fulfilled(f"p{number}")), *("x 1. Go.",) * 7) for number in range(5))
    lines = told(Trial(come))
    assert "    + its run takes 2 more steps that the other text does not have" in lines
    assert "  and 2 more differences; --json has all outcomes" in lines


def test_change_of_a_value_that_most_programs_have_is_counted() -> None:
    teller = Teller("")
    aborted, gone = (rejected("b", error) for error in ("AbortError", "NotFoundError"))
    told(Trial((changed(outcome(A, gone)),), (changed(outcome(A, aborted)),)), teller)
    assert list(teller.most_frequent()) == []
    told(Trial((changed(outcome(gone)),), (changed(outcome(aborted)),)), teller, "more")
    told(Trial((changed(outcome(B)),), (changed(outcome(aborted)),)), teller, "third")
    assert list(teller.most_frequent()) == [
        "in 2 programs: rejected with NotFoundError, instead of: rejected with AbortError"
    ]


def test_summary_counts_programs_by_product_and_effect() -> None:
    effects = [("chromium", Effect.DEVIATES), ("chromium", Effect.DEVIATES), ("polyfill", Effect.CONFORMS)]
    assert list(summary(effects)) == ["chromium deviates now in 2 programs", "polyfill may conform now in 1 program"]
