"""Every litmus test of the catalogue names steps that are there, says what is so, and has the allowed outcomes promoted."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.litmus.checking import problems_of_kinds, problems_of_promoted, problems_of_steps
from modelcontext.litmus.reading import CATALOGUE, Litmus, read_catalogue
from modelcontext.program.explore import allowed_outcomes
from modelcontext.specification import load_algorithms

FOLDER = Path(__file__).resolve().parents[2] / CATALOGUE
TESTS = read_catalogue(FOLDER)
STEPS = {algorithm.id: [step.number for step in algorithm.steps] for algorithm in load_algorithms()}


@pytest.mark.parametrize("litmus", TESTS, ids=lambda litmus: litmus.name)
def test_the_test_says_what_is_so(litmus: Litmus) -> None:
    found = allowed_outcomes(litmus.program)
    assert found.complete
    outcomes = list(found.outcomes.values())
    problems = [
        *problems_of_steps(litmus, STEPS),
        *problems_of_kinds(litmus, outcomes),
        *problems_of_promoted(litmus, outcomes),
    ]
    assert not problems, "\n".join(problems)


def test_every_file_of_outcomes_has_a_test() -> None:
    assert {path.with_suffix(".toml") for path in FOLDER.glob("*/*.outcomes")} == {litmus.path for litmus in TESTS}
