"""A schedule that an exploration reports replays the outcome that it was reported for."""

from pathlib import Path

import pytest

from modelcontext.program.explore import allowed_outcomes, judge, run_once
from modelcontext.program.outcome import Outcome
from modelcontext.program.reading import from_data, load

PROGRAMS = sorted((Path(__file__).parents[2] / "wpt_tests").glob("programs/cancellation/*.toml"))

#: The frame removes itself, so that its records come from a document that has gone.
REMOVES_ITSELF = {
    "title": "A frame removes itself and goes on",
    "documents": {"top": {}, "kid": {"parent": "top"}},
    "script": {
        "kid": [
            {"do": "removeFrame", "document": "kid"},
            {"do": "executeTool", "tool": {"$tool": "b", "in": "top"}, "wait": False},
        ],
        "top": [{"do": "getTools", "on": "kid"}],
    },
}


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_reported_schedule_replays_its_outcome(path: Path) -> None:
    program = load(path)
    exploration = allowed_outcomes(program)
    for text in exploration.outcomes:
        schedule = exploration.schedule_to(text)
        assert run_once(program, schedule).outcome.canonical == text


def test_verdict_finds_where_an_outcome_departs_from_the_allowed_ones() -> None:
    program = from_data(REMOVES_ITSELF)
    wrong = Outcome({"top": ({"in": "top", "log": "never"},)}, ())
    verdict = judge(program, wrong, locator=lambda filename, lineno: (filename, lineno))
    assert verdict.kind == "forbidden"
    assert verdict.departure is not None
    assert verdict.departure.observed == {"in": "top", "log": "never"}
    allowed = allowed_outcomes(program)
    for text in allowed.outcomes:
        replayed = run_once(program, allowed.schedule_to(text)).outcome
        assert replayed.canonical == text
        assert judge(program, replayed).kind == "allowed"
