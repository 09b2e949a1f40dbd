"""The page of builds, and the record that it is made of."""

from __future__ import annotations

import pytest

from modelcontext_builds.build import Build
from modelcontext_builds.history import ALLOWED, NOT_IN_ITS_TEXT, ShownByBuild, ranges
from surveys.builds.__main__ import OUT, differences, programs
from surveys.builds.history_page import SECTIONS, kind_of, page_of
from surveys.builds.record import PATH, BuildRecord, loads
from surveys.builds.statements import QUESTIONS, STATEMENTS

GOOD, BAD, WORSE = ShownByBuild(ALLOWED), ShownByBuild("t: undefined", "step 1"), ShownByBuild("t: null", "step 1")
BUILDS = [
    Build(f"chromium:{number}", f"{number}.0.1.0", "document", ("registerTool",), takes_text=False)
    for number in (152, 153, 156)
]


@pytest.fixture(scope="module")
def record() -> BuildRecord:
    return loads(PATH.read_text(encoding="utf-8"))


def record_of(*shown: ShownByBuild) -> BuildRecord:
    """Return a record of one program."""
    seen = {build.name: {"a": one} for build, one in zip(BUILDS, shown, strict=True)}
    return BuildRecord(BUILDS, {"a": "A title"}, seen, {build.name: dict.fromkeys(QUESTIONS, True) for build in BUILDS})


def test_page_is_that_of_the_record(record: BuildRecord) -> None:
    assert OUT.read_text(encoding="utf-8") == page_of(record), "run python -m surveys.builds"


def test_record_is_read_as_it_was_written(record: BuildRecord) -> None:
    assert loads(record.dumps()) == record
    assert record.dumps() == PATH.read_text(encoding="utf-8")


def test_record_has_every_program(record: BuildRecord) -> None:
    assert record.titles == {name: program.title for name, program in programs().items()}, (
        "run python -m surveys.builds"
    )


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
    assert "| `navigator.modelContext` is there up to 151 | 152, 153, 156 | none | **wrong** in 152, 153, 156 |" in page
    assert "| `document.modelContext` is there from 150 | 152, 153, 156 | none | holds |" in page


def test_every_statement_asks_a_question_or_says_why_not() -> None:
    assert [one.words for one in STATEMENTS if (one.question in QUESTIONS) is bool(one.why)] == []
    assert len(STATEMENTS) >= 15


def test_difference_from_the_record_is_one_line() -> None:
    known, now = record_of(BAD, GOOD, GOOD), record_of(GOOD, GOOD, GOOD)
    assert list(differences(known, known)) == []
    assert list(differences(known, now)) == ["chromium:152, a: allowed; the record says: t: undefined"]
