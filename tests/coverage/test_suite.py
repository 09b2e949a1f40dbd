"""What tests reach in a page is recorded there, for each test by itself, and can be read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.coverage import Reach, read_recorded
from modelcontext.coverage.suite import record_suite, write_recorded
from modelcontext.harness.wpt.results import Result

ROOT = Path(__file__).resolve().parents[2]
NAMES = "webmcp/imperative/register-tool-names.https.html"
ACROSS = "webmcp/imperative/toolchange-cross-origin.https.html"


@pytest.fixture(scope="module")
def recorded() -> dict[str, Reach]:
    results: list[Result] = []
    reached = record_suite(ROOT, "current", (NAMES, ACROSS), results.append)
    assert [str(result.status) for result in results] == ["OK", "OK"]
    return {reach.name: reach for reach in reached}


def test_each_test_has_what_it_reached(recorded: dict[str, Reach]) -> None:
    assert set(recorded) == {NAMES, ACROSS}
    names, across = recorded[NAMES].keys, recorded[ACROSS].keys
    assert {"valid-tool-name 2 1 yes", "valid-tool-name 3.1 1 yes", "dom-modelcontext-registertool 8 1 yes"} <= names
    assert "valid-tool-name 2 1 yes" not in across
    assert "tool-is-exposed-to-an-origin 2.1 1 yes" in across - names
    assert not {key for key in names | across if key.startswith("perform-an-observation")}


def test_it_is_written_and_read(recorded: dict[str, Reach], tmp_path: Path) -> None:
    path = tmp_path / "reached.json"
    write_recorded(path, "current", list(recorded.values()))
    assert {reach.name: reach for reach in read_recorded(path, "current")} == recorded
