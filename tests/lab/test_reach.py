"""The suite in the simulated browser, and where that lacks something in a page: its reach stays above the floors."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from modelcontext.judging.coverage import Coverage, Reach, read_reasons, read_recorded
from modelcontext.judging.coverage.floors import check_floors, read_floors
from modelcontext.programs.tracing.probes import inventory
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS
from tests.sharing import made_once
from tools.lab.__main__ import lab
from tools.lab.page_reach import record_suite
from tools.lab.record_reach import write_recorded
from tools.lab.simulated_reach import record_simulated

if TYPE_CHECKING:
    from modelcontext.judging.wpt.results import Result

ROOT = Path(__file__).resolve().parents[2]
NAMES = "webmcp/imperative/register-tool-names.https.html"
ACROSS = "webmcp/imperative/toolchange-cross-origin.https.html"
# What no program reaches, and the suite does: frames without scripts, and a submission whose end product page notices later.
ONLY_THE_SUITE = ["declarative-execute-steps 18 1 yes", "offers-a-tool 2 1 yes"]
# A document that goes away without a word, and leaves its frame without one.
ONLY_IN_A_PAGE = "collect-registered-tools 4.2 1 yes"
# The tests that run in a page, too: those about parts that the simulated browser has not, and two for the record itself.
IN_A_PAGE = [
    NAMES,
    ACROSS,
    "webmcp/declarative/back-forward-cache.https.html",
    "webmcp/declarative/execute-cancel-frames.https.html",
    "webmcp/declarative/execute-cross-origin.https.html",
    "webmcp/imperative/back-forward-cache.https.html",
    "webmcp/imperative/data-urls.https.html",
    "webmcp/imperative/execute-tool-unload.https.html",
    "webmcp/imperative/workers.https.html",
]


def all_keys(reached: Iterable[Reach]) -> set[str]:
    return {key for reach in reached for key in reach.keys}


@pytest.fixture(scope="module")
def simulated(shared_folder: Path, starts_a_browser: None) -> list[Reach]:
    def record(folder: Path) -> None:
        results: list[Result] = []
        reached = record_simulated(ROOT, finished=results.append)
        assert [result.test.removeprefix("/") for result in results] == sorted(reach.name for reach in reached)
        write_recorded(folder / "reached.json", "current", reached)

    return list(read_recorded(made_once(shared_folder / "simulated-suite", record) / "reached.json", "current"))


@pytest.fixture(scope="module")
def recorded(shared_folder: Path, starts_a_browser: None) -> dict[str, Reach]:
    def record(folder: Path) -> None:
        results: list[Result] = []
        reached = record_suite(ROOT, "current", IN_A_PAGE, finished=results.append)
        names = {reach.name for reach in reached}
        assert {result.test.removeprefix("/") for result in results} == names == {*IN_A_PAGE}
        write_recorded(folder / "reached.json", "current", reached)

    folder = made_once(shared_folder / "suite-in-a-page", record)
    return {reach.name: reach for reach in read_recorded(folder / "reached.json", "current")}


def test_suite_alone_reaches_every_step(simulated: list[Reach], recorded: dict[str, Reach]) -> None:
    found = inventory(REVISIONS["current"].package)
    coverage = Coverage("current", found, read_reasons(ROOT, CURRENT, found), [*simulated, *recorded.values()])
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


def test_simulated_browser_records_what_a_page_records(simulated: list[Reach], recorded: dict[str, Reach]) -> None:
    of_names = {reach.name: reach.keys for reach in simulated}[NAMES]
    assert recorded[NAMES].keys <= of_names
    # A page takes no part in changes of trees that have no forms.
    assert {key.split()[0] for key in of_names - recorded[NAMES].keys} == {"tree-change-steps"}
    assert all_keys(recorded.values()) - all_keys(simulated) >= {ONLY_IN_A_PAGE}


def test_recording_is_written_and_read(recorded: dict[str, Reach], tmp_path: Path) -> None:
    path = tmp_path / "reached.json"
    write_recorded(path, "current", list(recorded.values()))
    assert {reach.name: reach for reach in read_recorded(path, "current")} == recorded


def test_verb_writes_what_a_test_reaches(simulated: list[Reach], tmp_path: Path) -> None:
    path = tmp_path / "reached.json"
    result = CliRunner().invoke(lab, ["reach", "--product", "simulated", "--output", str(path), NAMES])
    assert (result.exit_code, result.stderr) == (0, f"wrote {path}: 1 test\n")
    assert list(read_recorded(path, "current")) == [one for one in simulated if one.name == NAMES]


def test_verb_refuses_a_revision_that_the_simulated_browser_lacks(tmp_path: Path) -> None:
    path = tmp_path / "reached.json"
    arguments = ["reach", "--product", "simulated", "--revision", "2026-03", "--output", str(path)]
    result = CliRunner().invoke(lab, arguments)
    assert result.exit_code == 2
    assert "the simulated browser runs the suite of the revision current only" in result.stderr
    assert not path.exists()
