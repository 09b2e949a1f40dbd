"""The suite in a page: the reach of each test is recorded, and stays above the floors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from modelcontext.coverage import Coverage, Reach, read_reasons, read_recorded
from modelcontext.coverage.floors import check_floors, read_floors
from modelcontext.coverage.suite import record_suite, write_recorded
from modelcontext.revisions.registry import CURRENT, REVISIONS
from modelcontext.tracing.probes import inventory

if TYPE_CHECKING:
    from modelcontext.wpt.results import Result

ROOT = Path(__file__).resolve().parents[2]
NAMES = "webmcp/imperative/register-tool-names.https.html"
ACROSS = "webmcp/imperative/toolchange-cross-origin.https.html"
# This defines the pseudo-classes, which the script that makes the API in a page cannot make.
OF_PSEUDO_CLASSES = "has-an-active-execution"
# What no program reaches, and the suite does: frames without scripts, and a submission whose end product page notices later.
ONLY_THE_SUITE = ["declarative-execute-steps 18 1 yes", "offers-a-tool 2 1 yes"]


@pytest.fixture(scope="module")
def recorded() -> dict[str, Reach]:
    results: list[Result] = []
    reached = record_suite(ROOT, "current", finished=results.append)
    assert {result.test.removeprefix("/") for result in results} == {reach.name for reach in reached}
    return {reach.name: reach for reach in reached}


def test_suite_alone_reaches_every_step(recorded: dict[str, Reach]) -> None:
    found = inventory(REVISIONS["current"].package)
    steps = [step for step in found.steps if step.algorithm == OF_PSEUDO_CLASSES]
    reasons = dict.fromkeys(map(str, steps), "A script cannot make pseudo-classes.") | read_reasons(
        ROOT, CURRENT, found
    )
    coverage = Coverage("current", found, reasons, recorded.values())
    tally = coverage.tally()
    assert tally.steps == tally.of_steps
    assert tally.sides >= 0.95 * tally.of_sides
    assert coverage.reached_against_reason() == ONLY_THE_SUITE
    assert check_floors(coverage, read_floors(ROOT / CURRENT.floors)) == []


def test_each_test_has_its_own_reach(recorded: dict[str, Reach]) -> None:
    names, across = recorded[NAMES].keys, recorded[ACROSS].keys
    assert {"valid-tool-name 2 1 yes", "valid-tool-name 3.1 1 yes", "dom-modelcontext-registertool 8 1 yes"} <= names
    assert "valid-tool-name 2 1 yes" not in across
    assert "tool-is-exposed-to-an-origin 2.1 1 yes" in across - names
    assert not {key for key in names | across if key.startswith("perform-an-observation")}


def test_recording_is_written_and_read(recorded: dict[str, Reach], tmp_path: Path) -> None:
    path = tmp_path / "reached.json"
    write_recorded(path, "current", list(recorded.values()))
    assert {reach.name: reach for reach in read_recorded(path, "current")} == recorded
