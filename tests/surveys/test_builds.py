"""The expectations of builds that are kept by machine, and the page that is made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from modelcontext.judging.conformance.expectations import load_expectations, vocabulary
from modelcontext.judging.wpt.suite import known_results
from modelcontext.running.products import make_target
from modelcontext_builds.build import Build
from modelcontext_builds.history import ALLOWED, NOT_IN_ITS_TEXT, ShownByBuild, ranges
from modelcontext_builds.record import BuildRecord, first_builds, read_record
from surveys.builds.__main__ import main
from surveys.builds.history_page import SECTIONS, kind_of, page_of
from surveys.builds.kept import kept_files
from surveys.builds.statements import QUESTIONS, QUESTIONS_BY_DEFAULT, STATEMENTS

ROOT = Path(__file__).parents[2]

GOOD, BAD, WORSE = ShownByBuild(ALLOWED), ShownByBuild("t: undefined", "step 1"), ShownByBuild("t: null", "step 1")
BUILDS = [
    Build(f"chromium:{number}", f"{number}.0.1.0", "document", ("registerTool",), takes_text=False)
    for number in (152, 153, 156)
]


@pytest.fixture(scope="module")
def record() -> BuildRecord:
    return read_record(ROOT)


def record_of(*shown: ShownByBuild) -> BuildRecord:
    """Return a record of one program."""
    seen = {build.name: {"a": one} for build, one in zip(BUILDS, shown, strict=True)}
    facts = {build.name: dict.fromkeys((*QUESTIONS, *QUESTIONS_BY_DEFAULT), True) for build in BUILDS}
    return BuildRecord(BUILDS, {"a": "A title"}, seen, {build.name: {} for build in BUILDS}, facts)


def ran(*observed: str | None) -> list[dict[str, Any]]:
    """Return what conformance.json has of a program with these deviations, and of one that conforms."""
    cells = {
        build.name: {"standing": "pass"} if one is None else {"standing": "fail", "observed": one, "steps": ["a 1"]}
        for build, one in zip(BUILDS, observed, strict=True)
    }
    return [{"name": "results/null", "revision": "current", "products": cells}]


def results_of(*statuses: str) -> list[dict[str, Any]]:
    """Return what conformance.json has of a file with one subtest."""
    cells = {
        build.name: {"status": "OK", "subtests": [{"name": "It works", "status": status}]}
        for build, status in zip(BUILDS, statuses, strict=True)
    }
    return [{"test": "/webmcp/a.https.html", "revision": "current", "products": cells}]


def test_page_is_that_of_the_expectations() -> None:
    assert main(["--check"]) == 0, "run python -m surveys.builds"


def test_page_has_the_quirks_that_come_with_a_build() -> None:
    page = page_of(record_of(GOOD, GOOD, BAD), {"a-quirk": BUILDS[2].version})
    came = "Quirks that appear first in this build: "
    assert f"### 153, compared with 152\n\n{came}none" in page
    assert f"### 156, compared with 153\n\n{came}[`a-quirk`](chromium.md#a-quirk)" in page
    assert "Appeared: 1 program, 0 subtests" in page


def test_kept_expectations_name_programs_that_there_are(record: BuildRecord) -> None:
    for build in record.builds:
        assert set(record.shown[build.name]) == set(record.titles)


def test_range_of_builds_is_kept_with_each_deviation(tmp_path: Path) -> None:
    files = kept_files(BUILDS, {"programs": ran("t: undefined", "t: undefined", None), "tests": []}, ())
    [path] = [path for path in files if path.name == "chromium-152.toml"]
    (tmp_path / path.name).write_text(files[path].replace("a 1", "valid-tool-name 1"), encoding="utf-8")
    [one] = load_expectations(tmp_path / path.name, vocabulary("chromium:152", "current")).values()
    assert (one.name, one.observed, one.note) == ("results/null", "t: undefined", "shown by Chromium 152 to 153")


def test_build_that_has_not_run_has_no_file() -> None:
    files = kept_files(BUILDS, {"programs": ran("t: undefined", None, None)[:1], "tests": []}, ())
    assert [path.name for path in files] == ["chromium-152.toml", "chromium-153.toml", "chromium-156.toml"]
    assert kept_files(BUILDS, {"programs": [], "tests": []}, ()) == {}


def test_status_of_each_subtest_that_fails_is_kept(tmp_path: Path) -> None:
    files = kept_files(BUILDS, {"programs": [], "tests": results_of("FAIL", "PASS", "PASS")}, ())
    [path] = [path for path in files if path.name == "wpt-chromium-152.toml"]
    (tmp_path / path.name).write_text(files[path], encoding="utf-8")
    [(where, one)] = known_results(tmp_path / path.name, make_target("chromium")).items()
    assert where == ("/webmcp/a.https.html", "It works")
    assert (one.status, one.reason, one.note) == ("FAIL", "product", "shown by Chromium 152")


def test_subtest_outside_of_the_text_of_a_time_is_no_fault_of_the_build() -> None:
    older = Build("chromium:152", "152.0.1.0", "document", (), takes_text=True)
    where = ("/webmcp/a.https.html", "It works")
    [text] = kept_files(
        [older], {"programs": [], "tests": [{**results_of("FAIL", "PASS", "PASS")[0]}]}, [where]
    ).values()
    assert 'reason = "test"' in text


def test_first_build_with_a_deviation_is_known(record: BuildRecord) -> None:
    found = first_builds(record)
    assert found["chromium", "listing/depth-first"] == "chromium:152"
    assert found["chromium", "execution/undefined-input"] == "chromium"
    assert ("chromium", "names/length") not in found


def test_usage_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nowhere.json"]) == 2
    assert capsys.readouterr().err.startswith("usage: ")


def test_deviations_of_every_kind_are_shown(record: BuildRecord) -> None:
    page = page_of(record)
    counts = {
        kind: int(page.partition(f"### {title}: ")[2].partition("\n")[0]) for kind, (title, _) in SECTIONS.items()
    }
    assert counts["mended"] >= 10
    assert counts["came"] >= 5


@pytest.mark.parametrize(
    ("shown", "kind"),
    [
        ((GOOD, GOOD, GOOD), None),
        ((BAD, GOOD, GOOD), "mended"),
        ((GOOD, BAD, BAD), "came"),
        ((BAD, GOOD, BAD), "came"),
        ((BAD, BAD, WORSE), "changed"),
        ((BAD, BAD, BAD), "never"),
    ],
)
def test_program_is_in_the_section_of_its_history(shown: tuple[ShownByBuild, ...], kind: str | None) -> None:
    assert kind_of(list(ranges(list(zip(BUILDS, shown, strict=True))))) == kind


def test_programs_that_show_the_same_are_one_row() -> None:
    one = record_of(BAD, BAD, GOOD)
    both = BuildRecord(
        one.builds,
        {"a": "A title", "b": "Another"},
        {build: {"a": shown["a"], "b": shown["a"]} for build, shown in one.shown.items()},
        one.tests,
        one.facts,
    )
    assert "| 152 to 153: <code>t: undefined</code><br>156: conforms | `a`<br>`b` | A title | `step 1` |" in page_of(
        both
    )


def test_build_without_the_program_is_in_no_range() -> None:
    page = page_of(record_of(ShownByBuild(NOT_IN_ITS_TEXT), BAD, GOOD))
    assert "| 153: <code>t: undefined</code><br>156: conforms |" in page


def test_statement_that_a_build_refutes_is_wrong() -> None:
    page = page_of(record_of(GOOD, GOOD, GOOD))
    assert "| `navigator.modelContext` exists up to 151 | 152, 153, 156 | none | **wrong** in 152, 153, 156 |" in page
    assert "| `document.modelContext` exists from 150 | 152, 153, 156 | none | holds |" in page


def test_every_statement_asks_a_question_or_says_why_not() -> None:
    questions = {*QUESTIONS, *QUESTIONS_BY_DEFAULT}
    assert [one.words for one in STATEMENTS if (one.question in questions) is bool(one.why)] == []
    assert sum(one.question in questions for one in STATEMENTS) >= 15
