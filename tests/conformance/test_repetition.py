"""Repeated runs of a program, whose distinct observations are judged once and counted."""

from __future__ import annotations

from modelcontext.judging.conformance.repetition import count, run_often
from modelcontext.judging.conformance.verdict import Standing, Verdicts
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.reading import from_data
from modelcontext.running.products.base import Ending, Observation
from modelcontext.running.products.model import Model

PROGRAM = from_data({"title": "t", "script": {"top": [{"do": "log", "value": 1}]}})


def outcome(value: object) -> Observation:
    return Observation(Ending.OUTCOME, Outcome({"top": [{"in": "top", "log": value}]}))


def test_program_runs_the_given_number_of_times() -> None:
    heard: list[int] = []
    with Model() as model:
        observations = run_often(PROGRAM, model, 3, heard.append)
    assert len(observations) == sum(heard) == 3
    assert {observation.outcome for observation in observations} == {outcome(1).outcome}


def test_observations_are_judged_and_counted() -> None:
    broken = Observation(Ending.ERROR, detail="the run failed")
    observations = [outcome(1), outcome(2), outcome(1), broken, outcome(2), outcome(2), outcome(1), outcome(1)]
    shown = count(PROGRAM, observations, Verdicts())
    assert [(one.times, one.verdict.standing) for one in shown if one.verdict] == [
        (3, Standing.FAIL),
        (1, Standing.ERROR),
        (4, Standing.PASS),
    ]
    assert sum(one.times for one in shown) == len(observations)


def test_observations_without_a_judge_are_only_counted() -> None:
    shown = count(PROGRAM, [outcome(1), outcome(2), outcome(2)], None)
    assert [(one.times, one.verdict) for one in shown] == [(2, None), (1, None)]
