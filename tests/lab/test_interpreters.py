"""The two interpreters of programs against each other, on a sample; ``python -m tools.lab interpreters`` compares all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from modelcontext.ground.checkout import project_root
from modelcontext.programs.program.operations import Script
from modelcontext.programs.program.reading import load
from tools.lab.compare_interpreters import interpreters as command
from tools.lab.interpreters import Interpreters

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

pytestmark = pytest.mark.usefixtures("starts_a_browser")

ROOT = project_root() / "wpt_tests"
SAMPLE = (
    "litmus/back-forward-cache/called-by-a-frame",
    "litmus/cross-origin-pairs/each-calls-the-other",
    "litmus/navigate-execute/target-navigates-during-the-call",
    "programs-2026-03/documents/same-origin-frame",
    "programs/declarative/two-frames-wait",
    "programs/documents/closed-popup",
    "programs/events/change-during-a-call",
    "programs/execution/realm-of-the-error",
    "programs/races/popup-closed-while-notifying",
    "programs/races/target-removes-itself",
    "programs/results/undefined",
    "programs/signals/unregister-twice",
)


def read(name: str) -> Program:
    return load(ROOT / f"{name}.toml")


@pytest.fixture(scope="module")
def interpreters(starts_a_browser: None) -> Iterator[Interpreters]:
    with Interpreters() as both:
        yield both


@pytest.mark.parametrize("name", SAMPLE)
def test_both_make_the_same_choices_and_show_the_same_outcome(interpreters: Interpreters, name: str) -> None:
    agreement = interpreters.compare(read(name), range(1, 5))
    assert agreement.schedules == 5
    assert agreement.differences == []


def test_both_agree_on_every_transition_of_a_state_space(interpreters: Interpreters) -> None:
    agreement = interpreters.compare(read("litmus/abort-resolve/in-flight"), (), complete=True)
    assert agreement.complete is True
    assert agreement.schedules > 10
    assert (agreement.differences, agreement.overlapping) == ([], 0)


def test_space_beyond_the_bound_is_not_complete(interpreters: Interpreters) -> None:
    agreement = interpreters.compare(read("litmus/abort-resolve/in-flight"), (), complete=True, bound=2)
    assert (agreement.complete, agreement.schedules) == (False, 1)


def test_defect_of_values_is_a_different_outcome(interpreters: Interpreters, monkeypatch: pytest.MonkeyPatch) -> None:
    record = Script.record
    monkeypatch.setattr(Script, "record", lambda self, entry, source=None: record(self, {**entry, "in": "x"}, source))
    [difference] = interpreters.compare(read("programs/results/undefined"), ()).differences
    assert '"in":"x"' in difference.python
    assert '"in":"top"' in difference.javascript


def test_defect_of_scheduling_is_a_different_choice(
    interpreters: Interpreters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Script, "timer", lambda self, step: None)
    [difference] = interpreters.compare(read("litmus/abort-resolve/in-flight"), ()).differences
    assert difference.python.startswith("choice ")
    assert "run_steps_after_a_timeout" in difference.javascript


def test_verb_counts_programs_and_schedules() -> None:
    result = CliRunner().invoke(command, ["results/undefined", "--schedules", "2"])
    assert (result.output, result.exit_code) == ("1 programs, 3 schedules: 0 programs differ\n", 0)
