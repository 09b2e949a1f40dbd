"""The record of builds: since when a product shows what it shows now."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from modelcontext_builds.build import Build
from modelcontext_builds.history import ALLOWED, NOT_IN_ITS_TEXT, UNKNOWN, ShownByBuild
from modelcontext_builds.record import BuildRecord

VERSIONS = ("147.0", "149.0", "153.0", "156.0")


def builds(shown: Sequence[str | None]) -> BuildRecord:
    """Return the record of builds that show something in program x: words, nothing, or None if it makes no sense in them."""
    names = ["chromium:147", "chromium:149", "chromium:153", "chromium"]
    return BuildRecord(
        [Build(name, version, "document", (), False) for name, version in zip(names, VERSIONS, strict=True)],
        {"x": "a title"},
        {
            name: {"x": ShownByBuild(NOT_IN_ITS_TEXT if words is None else words or ALLOWED)}
            for name, words in zip(names, shown, strict=True)
        },
        {},
        {},
    )


@pytest.mark.parametrize(
    ("shown", "since"),
    [
        (["", "", "a", "a"], "153"),
        (["", "a", "", "a"], "156"),
        (["b", "b", "a", "a"], "153"),
        (["a", "a", "a", "a"], "at least 147"),
        ([None, "a", "a", "a"], "at least 149"),
        (["", f"{UNKNOWN}timeout", "a", "a"], "153"),
        (["a", "a", "a", ""], None),
        ([None, None, None, None], None),
    ],
)
def test_deviation_is_there_since_the_first_build_of_the_last_row_of_equal_outcomes(
    shown: Sequence[str | None], since: str | None
) -> None:
    found = builds(shown).since("chromium", "x")
    assert (found.words if found is not None else None) == since


def test_program_that_the_record_does_not_know_has_no_outcome() -> None:
    known = builds(["", "", "a", "a"])
    assert known.row("absent") == [None] * 4
    assert known.row("x") == ["", "", "a", "a"]
    assert known.since("firefox", "x") is None
