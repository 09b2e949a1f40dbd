"""A schedule that an exploration reports replays the outcome that it was reported for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pytest

from modelcontext.ground.schedule import footprint
from modelcontext.programs.program.exploration import allowed_outcomes, run_once
from modelcontext.programs.program.interpreter import Run
from modelcontext.programs.program.membership import judge
from modelcontext.programs.program.outcome import Outcome
from modelcontext.programs.program.reading import from_data, load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from modelcontext.ground.schedule.fingerprint import State

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


#: Both documents make maps and tools while they race.
TWO_SITES = {
    "title": "Two sites register and list",
    "documents": {"top": {}, "kid": {"parent": "top", "origin": "B"}, "late": {"parent": "top", "start": "later"}},
    "script": {
        "top": [{"do": "addFrame", "document": "late"}, {"do": "getTools"}],
        "kid": [{"do": "registerTool", "tool": {"name": "t", "description": "d"}}],
    },
}


class Noting(Run):
    """A run that notes the fingerprints of its states."""

    noted: ClassVar[set[bytes]] = set()

    def state(self) -> State:
        state = super().state()
        self.noted.add(state.fingerprint)
        return state

    def processes(self) -> Sequence[object]:
        # A run that is led asks for its processes only.
        processes = super().processes()
        assert {*map(id, processes)} == {*map(id, self.state().processes)}
        return processes


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_reported_schedule_replays_its_outcome(path: Path) -> None:
    program = load(path)
    exploration = allowed_outcomes(program)
    for text in exploration.outcomes:
        schedule = exploration.schedule_to(text)
        assert run_once(program, schedule).outcome.canonical == text


def test_run_that_is_led_to_an_outcome_passes_the_states_that_were_explored(monkeypatch: pytest.MonkeyPatch) -> None:
    explored: set[bytes] = set()
    passed: set[bytes] = set()
    monkeypatch.setattr(Noting, "noted", explored)
    exploration = allowed_outcomes(from_data(TWO_SITES), run=Noting)
    monkeypatch.setattr(Noting, "noted", passed)
    for text in exploration.outcomes:
        exploration.schedule_to(text)
    assert passed
    assert passed <= explored


def test_exploration_and_replay_leave_nothing_that_a_later_run_could_see() -> None:
    exploration = allowed_outcomes(from_data(TWO_SITES))
    assert (footprint.new_name(), footprint.current) == (0, None)
    exploration.schedule_to(next(iter(exploration.outcomes)))
    assert (footprint.new_name(), footprint.current) == (0, None)


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
