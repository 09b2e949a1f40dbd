"""Coverage: counts, missed steps, reasons, floors that only rise, and errors in files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from modelcontext.judging.conformance.explored import explore
from modelcontext.judging.coverage import Coverage, Extent, Reach, ReachError, read_reasons, read_recorded
from modelcontext.judging.coverage.floors import check_floors, low_floors, raise_floors, read_floors
from modelcontext.judging.litmus.language import CATALOGUE, read_catalogue
from modelcontext.programs.program.reading import from_data
from modelcontext.programs.tracing.instrumentation import Condition, StepOf
from modelcontext.programs.tracing.probes import Inventory, inventory
from modelcontext.spec.revisions.registry import CURRENT, FILES, REVISIONS
from modelcontext.spec.specification import SpecificationError

ROOT = Path(__file__).resolve().parents[2]
FIRST, SECOND, THIRD, FOURTH = (StepOf("a", number) for number in "1234")
INVENTORY = Inventory(
    (FIRST, SECOND, THIRD, FOURTH),
    (Condition(SECOND, 1, "x"), Condition(THIRD, 1, "y")),
    {},
)
TESTS = [
    Reach("litmus", "l", frozenset({"a 1", "a 2", "a 2 1 yes"})),
    Reach("programs", "p", frozenset({"a 1", "a 2", "a 2 1 no", "a 3", "a 3 1 no"})),
]


def covered(reasons: dict[str, str] | None = None, tests: list[Reach] = TESTS) -> Coverage:
    return Coverage("current", INVENTORY, reasons or {}, tests)


def test_extents_and_tallies_count_reached_steps_and_sides() -> None:
    coverage = covered()
    assert [coverage.extent(step) for step in INVENTORY.steps] == [
        Extent.FULL, Extent.FULL, Extent.PARTIAL, Extent.NONE,
    ]  # fmt: skip
    assert str(coverage.tally()) == "3/4 steps, 3/4 sides"
    assert str(coverage.tally("programs")) == "3/4 steps, 2/4 sides"
    assert str(coverage.tally("litmus")) == "2/4 steps, 1/4 sides"
    assert str(coverage.tally(algorithm="b")) == "0/0 steps, 0/0 sides"
    assert coverage.kinds == ["programs", "litmus"]
    assert [coverage.tests[index].name for index in coverage.reaching("a 2")] == ["p", "l"]
    assert coverage.missed() == ["a 4", "a 3 1 yes"]


def test_reason_excuses_unless_its_step_is_reached() -> None:
    coverage = covered({"a 4": "because", "a 3 1 yes": "because"})
    assert coverage.extent(THIRD) is Extent.FULL
    assert coverage.extent(FOURTH) is Extent.EXCUSED
    assert coverage.missed() == []
    assert str(coverage.tally()) == "3/3 steps, 3/3 sides"
    assert covered({"a 1": "because"}).reached_against_reason() == ["a 1"]


def test_program_reaches_the_steps_of_all_schedules() -> None:
    tool = {"name": "t", "description": "d"}
    steps = [{"do": "registerTool", "tool": tool, "wait": False}, {"do": "executeTool", "tool": {"$tool": "t"}}]
    reached = explore(from_data({"title": "t", "script": {"top": steps}})).reached
    assert {"dom-modelcontext-executetool 21.3", "dom-modelcontext-registertool 7 1 no"} <= reached
    assert "dom-modelcontext-registertool 7 1 yes" not in reached


def test_floors_hold_and_only_rise(tmp_path: Path) -> None:
    path = tmp_path / "coverage.toml"
    assert raise_floors(covered(), path)
    floors = read_floors(path)
    assert floors == {"programs": {"steps": 3, "sides": 2}, "litmus": {"steps": 2, "sides": 1}}
    assert check_floors(covered(), floors) == []
    less = covered(tests=[TESTS[0], replace(TESTS[1], keys=TESTS[1].keys - {"a 3"})])
    assert check_floors(less, floors) == [
        "programs reach 2 steps, but the floor is 3: find what no test reaches any more"
    ]
    assert not raise_floors(less, path)
    more = covered(tests=[TESTS[0], replace(TESTS[1], keys=TESTS[1].keys | {"a 4"})])
    assert check_floors(more, floors) == []
    assert low_floors(more, floors) == ["programs"]
    assert low_floors(covered(), floors) == []
    assert low_floors(covered(), {}) == ["programs", "litmus"]
    assert raise_floors(more, path)
    assert read_floors(path)["programs"]["steps"] == 4
    # A kind of tests that did not run is not checked, and keeps its floor.
    assert check_floors(covered(tests=TESTS[:1]), floors) == []


@pytest.mark.parametrize("text", ["programs = 3", "[programs]\nsteps = 3", "="])
def test_invalid_floors_are_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "coverage.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SpecificationError):
        read_floors(path)


@pytest.mark.usefixtures("takes_long")
def test_litmus_tests_reach_their_floors() -> None:
    found = inventory(REVISIONS["current"].package)
    reached = [Reach("litmus", one.name, explore(one.program).reached) for one in read_catalogue(ROOT / CATALOGUE)]
    coverage = Coverage("current", found, read_reasons(ROOT, CURRENT, found), reached)
    assert check_floors(coverage, read_floors(ROOT / CURRENT.floors)) == []


def write(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_recording_of_a_page_is_read(tmp_path: Path) -> None:
    keys = ["valid-tool-name 1", "valid-tool-name 1 1 yes"]
    path = write(tmp_path / "r.json", {"revision": "current", "tests": {"webmcp/x.html": keys}})
    assert list(read_recorded(path, "current")) == [Reach("wpt", "webmcp/x.html", frozenset(keys))]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "not a recording"),
        ({"revision": "current"}, "not a recording"),
        ({"revision": "2026-03", "tests": {}}, "recorded with the revision 2026-03"),
        ({"revision": "current", "tests": {"x": ["valid-tool-name 99"]}}, "recorded with another text"),
    ],
)
def test_invalid_recording_is_refused(tmp_path: Path, content: object, message: str) -> None:
    path = write(tmp_path / "r.json", content)
    with pytest.raises(ReachError, match=message):
        list(read_recorded(path, "current"))


def test_reasons_of_every_revision_can_be_read() -> None:
    for name, files in FILES.items():
        read_reasons(ROOT, files, inventory(REVISIONS[name].package))


def test_missing_file_means_no_reasons(tmp_path: Path) -> None:
    assert read_reasons(tmp_path, CURRENT, INVENTORY) == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace('\nstep = "*"', '\nstep = "99"'), "no such step or side"),
        (lambda text: text.replace('\nside = "1 yes"', '\nside = "2 yes"'), "no such step or side"),
        (lambda text: text.replace("algorithm =", "algoritm =", 1), "an entry needs an algorithm"),
        (lambda text: text.replace("[[unreachable]]", "[[unreachable", 1), "not valid TOML"),
    ],
)
def test_invalid_reasons_are_refused(tmp_path: Path, change: Callable[[str], str], message: str) -> None:
    text = (ROOT / CURRENT.folder / "unreachable.toml").read_text(encoding="utf-8")
    (tmp_path / CURRENT.folder).mkdir(parents=True)
    (tmp_path / CURRENT.folder / "unreachable.toml").write_text(change(text), encoding="utf-8")
    with pytest.raises(SpecificationError, match=message):
        read_reasons(tmp_path, CURRENT, inventory(REVISIONS["current"].package))
