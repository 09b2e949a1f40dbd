"""The search for one observed outcome."""

from __future__ import annotations

import pytest

from modelcontext.program.explore import judge, run_once
from modelcontext.program.interpreter import Run
from modelcontext.program.reading import from_data
from modelcontext.schedule.choose import Seeded

CALL = {"do": "executeTool", "tool": {"$tool": "t", "in": "top"}, "wait": False}

#: Two documents on one event loop call the tool of one of them, three times each.
SIX_CALLS = from_data(
    {
        "title": "six racing calls",
        "documents": {"top": {}, "frame": {"parent": "top", "origin": "A", "allow": "tools"}},
        "script": {
            "top": [
                {
                    "do": "registerTool",
                    "tool": {"name": "t", "description": "d"},
                    "options": {"exposedTo": ["{A}"]},
                    "wait": True,
                },
                {"do": "tell", "to": "frame", "message": "go"},
                *[CALL] * 3,
            ],
            "frame": [{"do": "waitFor", "message": "go"}, *[CALL] * 3],
        },
    }
)


@pytest.mark.parametrize("seed", range(16))
def test_an_outcome_of_six_racing_calls_is_found_within_a_few_attempts(seed: int) -> None:
    """In one order of trying actions, seeds 1, 3 and 11 take from 769 to 4,733 runs."""
    observed = Run(SIX_CALLS, Seeded(seed)).run()
    verdict = judge(SIX_CALLS, observed)
    assert verdict.kind == "allowed"
    assert verdict.runs <= 500
    assert verdict.schedule is not None
    assert run_once(SIX_CALLS, verdict.schedule).outcome.canonical == observed.canonical
