"""Leaving out equivalent schedules loses no outcome, for every program of the corpus that is small enough to enumerate."""

from __future__ import annotations

from pathlib import Path

from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.reading import load

CORPUS = Path(__file__).resolve().parents[2] / "wpt_tests" / "programs"

#: A program with more schedules than this is not compared.
MOST_SCHEDULES = 150


def test_state_graph_and_every_schedule_give_the_same_outcomes_for_the_corpus() -> None:
    compared = 0
    for path in sorted(CORPUS.glob("**/*.toml")):
        program = load(path)
        naive = allowed_outcomes(program, naive=True, bound=MOST_SCHEDULES)
        if naive.complete:
            compared += 1
            assert set(allowed_outcomes(program).outcomes) == set(naive.outcomes), path
    assert compared >= 140
