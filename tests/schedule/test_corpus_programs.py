"""Leaving out equivalent schedules loses no outcome, for every program of the corpus that is small enough to enumerate."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from modelcontext.programs.program.exploration import allowed_outcomes
from modelcontext.programs.program.reading import load

if TYPE_CHECKING:
    from modelcontext.judging.conformance.explored import KeptExploration

CORPUS = Path(__file__).resolve().parents[2] / "wpt_tests" / "programs"

#: A program with more schedules than this is not compared.
MOST_SCHEDULES = 150


def test_state_graph_and_every_schedule_give_the_same_outcomes_for_the_corpus(
    corpus_outcomes: Mapping[str, KeptExploration],
) -> None:
    compared = 0
    for name, explored in corpus_outcomes.items():
        naive = allowed_outcomes(load(CORPUS / f"{name}.toml"), naive=True, bound=MOST_SCHEDULES)
        if naive.complete:
            compared += 1
            assert explored.outcomes == set(naive.outcomes), name
    assert compared >= 140
