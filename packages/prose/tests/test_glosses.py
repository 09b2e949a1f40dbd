"""Glosses: patches of a text that fit exactly, or an error with the place."""

from __future__ import annotations

from pathlib import Path

import pytest

from modelcontext.spec.specification import SpecificationError
from modelcontext_prose.glosses import read_gloss, with_glosses

TEXT = "one\ntwo\nthree\nfour\nfive\n"


def gloss(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_glosses_change_lines_of_the_text_in_any_order(tmp_path: Path) -> None:
    last = read_gloss(gloss(tmp_path / "last", "--- a", "+++ b", "@@ -4,2 +4,3 @@", " four", "-five", "+5", "+6"))
    first = read_gloss(gloss(tmp_path / "first", "@@ -1 +1 @@", "-one", "+1"))
    added = read_gloss(gloss(tmp_path / "added", "@@ -2,0 +3 @@", "+two and a half"))
    expected = "1\ntwo\ntwo and a half\nthree\nfour\n5\n6\n", (1, 2, 3, 3, 4, 5, 5)
    assert with_glosses(TEXT, Path("text.bs"), [last, first, added]) == expected
    assert with_glosses(TEXT, Path("text.bs"), [added, first, last]) == expected
    assert [one.words for one in (last, first)] == ["gloss last: 2 lines", "gloss first: 1 line"]


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        (["words"], None, "has no hunk"),
        (["@@ -1 +1 @@", "-one", "+1", "words"], 4, "belongs to no hunk"),
        (["@@ -1 +1 @@", "*one"], 2, "must begin with a space"),
        (["@@ -1,2 +1 @@", "-one"], 1, "1 line of the text, but its first line says 2"),
        (["@@ -1 +1 @@", "-one", "+1", "--- a", "+++ b"], 5, "here a second text begins"),
    ],
)
def test_file_that_is_no_patch_is_an_error_with_its_line(
    tmp_path: Path, lines: list[str], line: int | None, message: str
) -> None:
    with pytest.raises(SpecificationError, match=message) as caught:
        read_gloss(gloss(tmp_path / "gloss", *lines))
    assert caught.value.line == line


@pytest.mark.parametrize("first", [1, 3, 9])
def test_hunk_at_another_place_does_not_fit(tmp_path: Path, first: int) -> None:
    read = read_gloss(gloss(tmp_path / "gloss", f"@@ -{first} +{first} @@", "-two", "+2"))
    with pytest.raises(SpecificationError, match="the hunk cannot be applied: for line") as caught:
        with_glosses(TEXT, Path("text.bs"), [read])
    assert (caught.value.path, caught.value.line) == (tmp_path / "gloss", 1)


def test_two_hunks_for_one_line_are_an_error(tmp_path: Path) -> None:
    one = read_gloss(gloss(tmp_path / "one", "@@ -2 +2 @@", "-two", "+2"))
    other = read_gloss(gloss(tmp_path / "other", "@@ -2,2 +2,2 @@", " two", "-three", "+3"))
    with pytest.raises(SpecificationError, match="another hunk changes line 2 of the text, too"):
        with_glosses(TEXT, Path("text.bs"), [one, other])
