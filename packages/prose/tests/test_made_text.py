"""The files made of a text are kept, and a text is compiled again only if something differs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from modelcontext.spec.specification import SpecificationError
from modelcontext_prose.other_text import OtherText
from packages.prose.tests.small_texts import algorithm, text_of

TWO = algorithm("To <dfn>answer</dfn>", "Return 1.") + algorithm("To <dfn>guess</dfn>", "Frobnicate.")


def text_kept_in(folder: Path, algorithms: str = TWO) -> OtherText:
    return OtherText(text_of(algorithms), Path("text.bs"), kept_in=folder)


def is_compiled(text: OtherText) -> bool:
    return "linked" in vars(text)


def all_made_of(text: OtherText) -> Any:
    return json.loads(json.dumps(text.made.to_data()))


@pytest.fixture
def first(tmp_path: Path) -> OtherText:
    """Make a text that is kept from now on."""
    text = text_kept_in(tmp_path)
    assert text.made.understood == 1
    assert is_compiled(text)
    return text


def test_kept_text_says_what_the_compiled_one_says_without_compiling(first: OtherText, tmp_path: Path) -> None:
    again = text_kept_in(tmp_path)
    assert all_made_of(again) == all_made_of(first) == all_made_of(replace(first, kept_in=None))
    assert (again.words, [*again.unclear()]) == (first.words, [*first.unclear()])
    assert again.revision() is first.linked.revision
    assert not is_compiled(again)


def test_another_text_is_compiled(first: OtherText, tmp_path: Path) -> None:
    other = text_kept_in(tmp_path, TWO.replace("Return 1", "Return 2"))
    assert other.made.files != first.made.files
    assert len([*tmp_path.iterdir()]) == 2


@pytest.mark.parametrize("content", ["", "[]", "{", '{"package": 1}', "null"])
def test_text_whose_file_is_damaged_is_compiled_again(content: str, first: OtherText, tmp_path: Path) -> None:
    [file] = tmp_path.iterdir()
    file.write_text(content, encoding="utf-8")
    again = text_kept_in(tmp_path)
    assert again.made.files == first.made.files
    assert is_compiled(again)
    mended = text_kept_in(tmp_path)
    assert mended.made.files == first.made.files
    assert not is_compiled(mended)


def test_text_kept_by_other_code_is_compiled_again_and_replaced(first: OtherText, tmp_path: Path) -> None:
    [file] = tmp_path.iterdir()
    outdated = file.with_name("x" + file.name[1:])
    file.rename(outdated)
    again = text_kept_in(tmp_path)
    assert again.made.files == first.made.files
    assert is_compiled(again)
    assert [*tmp_path.iterdir()] == [file]


def test_text_that_cannot_be_read_is_an_error_each_time(tmp_path: Path) -> None:
    for _ in range(2):
        text = OtherText("<div algorithm>\n1. Return.\n", Path("text.bs"), kept_in=tmp_path)
        with pytest.raises(SpecificationError):
            text.revision()
