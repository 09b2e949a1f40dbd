"""The reading of built HTML: of Bikeshed, of ReSpec, and of pages written by hand in their style."""

from __future__ import annotations

from pathlib import Path

import pytest

from speclint import lint_text
from speclint.text.built import as_source

STYLES = Path(__file__).parent / "styles"
BIKESHED = (STYLES / "bikeshed.html").read_text(encoding="utf-8")
RESPEC = (STYLES / "respec.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", [BIKESHED, RESPEC], ids=["bikeshed", "respec"])
def test_lines_stay_in_their_places(page: str) -> None:
    assert as_source(page).count("\n") == page.count("\n")


def test_page_of_bikeshed_has_the_findings_of_its_source() -> None:
    report = lint_text(BIKESHED, Path("index.html"))
    assert report.text.unread == []
    [algorithm] = report.text.algorithms
    assert (algorithm.name, algorithm.parameters, algorithm.is_exported) == ("open a crate", ("x", "crate"), True)
    assert [step.number for step in algorithm.walk()] == ["1", "1.1", "2"]
    assert set(report.text.structs["crate"].items) == {"lid", "map"}
    found = [(one.line, one.rule) for one in report.findings]
    assert (32, "untested-null") in found
    assert {rule for _, rule in found} == {"untested-null", "must-in-note"}


def test_page_of_respec_has_algorithms_in_lists_that_say_so() -> None:
    report = lint_text(RESPEC, Path("index.html"))
    assert report.text.unread == []
    assert report.text.algorithms[0].name == "open"
    assert [(one.line, one.rule, one.message.partition(" ")[0]) for one in report.findings] == [
        (11, "undefined-variable", "create"),
        (12, "untested-null", "crate's"),
        (16, "undefined-variable", "b"),
    ]
