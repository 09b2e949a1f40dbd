"""The catalogue of litmus tests: each names steps of the text, has true kinds, and the promoted outcomes are current."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.ground.schedule.choose import Seeded
from modelcontext.judging.litmus.check import problems_of_kinds, problems_of_promoted, problems_of_steps
from modelcontext.judging.litmus.language import CATALOGUE, Litmus, read_catalogue
from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.interpreter import Run
from modelcontext.spec.specification import load_algorithms

FOLDER = Path(__file__).resolve().parents[2] / CATALOGUE
TESTS = read_catalogue(FOLDER)
STEPS = {algorithm.id: [step.number for step in algorithm.steps] for algorithm in load_algorithms()}


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("litmus", TESTS, ids=lambda litmus: litmus.name)
def test_litmus_test_agrees_with_the_model(litmus: Litmus) -> None:
    found = allowed_outcomes(litmus.program)
    assert found.complete
    outcomes = list(found.outcomes.values())
    problems = [
        *problems_of_steps(litmus, STEPS),
        *problems_of_kinds(litmus, outcomes),
        *problems_of_promoted(litmus, outcomes),
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.usefixtures("takes_long")
@pytest.mark.parametrize("litmus", TESTS, ids=lambda litmus: litmus.name)
def test_random_schedules_show_only_promoted_outcomes(litmus: Litmus) -> None:
    """Random schedules do not rely on states and footprints."""
    promoted = litmus.promoted()
    assert promoted
    for seed in range(60):
        outcome = Run(litmus.program, Seeded(seed)).run()
        assert outcome in promoted, f"seed {seed}"


def test_catalogue_has_every_family() -> None:
    assert {litmus.name.partition("/")[0] for litmus in TESTS} == {
        *("register-notify", "abort-resolve", "abort-complete", "cancel-complete", "unregister-execute"),
        *("reregister-execute", "detach-execute", "navigate-execute", "many-callers-one-tool", "one-caller-many-tools"),
        *("nested-execution", "cross-origin-pairs", "back-forward-cache", "observation-registration"),
        *("form-submission", "form-removal", "form-change", "form-names", "form-callers", "form-lists"),
    }
    assert len(TESTS) >= 70


def test_no_two_litmus_tests_have_the_same_program() -> None:
    programs = {repr(litmus.program.to_data() | {"title": "", "note": "", "algorithms": []}) for litmus in TESTS}
    assert len(programs) == len(TESTS)


def test_every_file_of_outcomes_has_a_litmus_test() -> None:
    assert {path.with_suffix(".toml") for path in FOLDER.glob("*/*.outcomes")} == {litmus.path for litmus in TESTS}
