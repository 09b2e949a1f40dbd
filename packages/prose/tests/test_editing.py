"""Changed steps of a text: what they do, and which changes are refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from modelcontext.people.playground.session import run
from modelcontext.spec.revisions.registry import CURRENT, REVISIONS
from modelcontext_prose.editing import EditedText, EditError, shown_words
from modelcontext_prose.in_page import EditedPage
from modelcontext_prose.other_text import OtherText
from speclint.text.source import read_text

ROOT = Path(__file__).resolve().parents[3]
CONTENT = (ROOT / CURRENT.text).read_text(encoding="utf-8")
LENGTH = ("valid-tool-name", "2")
SHORTER = "If |name|'s [=string/length=] is greater than 3, then return false."
PROGRAM = 'title = "t"\n[[script.top]]\ndo = "registerTool"\ntool = { name = "search", description = "d" }\n'


@pytest.fixture(scope="module")
def text(takes_long: None) -> EditedText:
    """Give the current text, which is compiled once."""
    return EditedText(OtherText(CONTENT, CURRENT.text))


@pytest.fixture(scope="module")
def kept(takes_long: None) -> EditedPage:
    return EditedPage(CONTENT)


@pytest.fixture
def page(kept: EditedPage) -> Iterator[EditedPage]:
    """Give a page, whose text is the unchanged one again after the test."""
    yield kept
    kept.use("[]")
    assert REVISIONS.stand_ins == {}


def as_json(*changes: tuple[tuple[str, str], str]) -> str:
    return json.dumps([{"algorithm": step[0], "step": step[1], "words": words} for step, words in changes])


def outcome() -> str:
    return str(json.loads(run(PROGRAM, []))["key"])


def test_every_step_can_be_given_the_words_that_it_has(text: EditedText) -> None:
    names = [(one.id, step.number) for one in read_text(CONTENT, CURRENT.text).algorithms for step in one.walk()]
    assert len(names) > 500
    assert text.changed({name: text.words(name) for name in names}).content == CONTENT


def test_changed_step_does_what_its_new_words_say(text: EditedText) -> None:
    changed = text.changed({LENGTH: SHORTER})
    valid_tool_name = changed.revision().algorithms["valid-tool-name"]
    assert valid_tool_name("abc") is True
    assert valid_tool_name("search") is False
    assert shown_words(changed, LENGTH) == "If name's length is greater than 3, then return false."


def test_steps_are_changed_at_once_and_keep_their_numbers(text: EditedText) -> None:
    longer = "Let |x| be 3.\n\n   If |name|'s [=string/length=]\nis greater than |x|, then return false."
    changed = text.changed({("valid-tool-name", "4"): "Return false.", LENGTH: longer})
    assert changed.revision().algorithms["valid-tool-name"]("abc") is False
    assert shown_words(changed, LENGTH).startswith("Let x be 3. If name's length")
    assert shown_words(changed, ("valid-tool-name", "4")) == "Return false."


@pytest.mark.parametrize(
    ("words", "message", "place"),
    [
        ("If |name|'s\n[=string/lenth=] is 3, then return.", r"nearest phrase is \[=string/length=\]", (2, 1)),
        ("Return |other|.", 'no earlier step defines "other"', (1, 8)),
        ("|name", r"a variable \| is not closed", (0, 0)),
        (" \n", "a step has words", (0, 0)),
        ("Return true.\n1. Return false.", "would add or remove steps", (0, 0)),
        ("</div>", "would add or remove steps", (0, 0)),
        ("<!-- Return.", "would add or remove steps", (0, 0)),
        ("Return\x00.", r"U\+0000 is not allowed in a text", (0, 0)),
        ("Return \ud800.", r"U\+D800 is not allowed in a text", (0, 0)),
    ],
)
def test_change_is_refused_with_its_reason_and_place(
    text: EditedText, words: str, message: str, place: tuple[int, int]
) -> None:
    with pytest.raises(EditError, match=message) as found:
        text.changed({LENGTH: words})
    assert (found.value.line, found.value.column) == place


def test_change_that_another_step_cannot_do_without_is_refused_with_that_step(text: EditedText) -> None:
    with pytest.raises(EditError, match="has no meaning") as found:
        text.changed({("parse-a-list-of-origins", "1"): "Let |others| be an empty [=list=]."})
    assert found.value.step[0] == "parse-a-list-of-origins"
    assert found.value.step[1] != "1"
    assert found.value.column == 0


def test_step_that_does_not_exist_cannot_be_changed(text: EditedText) -> None:
    with pytest.raises(EditError, match="no such step"):
        text.words(("valid-tool-name", "9"))


def test_changed_text_stands_in_until_all_changes_are_undone(page: EditedPage) -> None:
    before = outcome()
    assert json.loads(page.source(*LENGTH)) == {
        "words": "If |name|'s [=string/length=] is greater than 128, then return false."
    }
    shown = json.loads(page.use(as_json((LENGTH, SHORTER))))["steps"]
    assert shown == [
        {
            "algorithm": "valid-tool-name",
            "step": "2",
            "words": "If name's length is greater than 3, then return false.",
        }
    ]
    assert "InvalidStateError" in outcome()
    assert json.loads(page.use("[]")) == {"steps": []}
    assert outcome() == before


def test_refused_change_is_told_and_the_text_before_goes_on(page: EditedPage) -> None:
    page.use(as_json((LENGTH, SHORTER)))
    refused = json.loads(page.use(as_json((LENGTH, "Frobnicate |name|."))))
    assert refused["error"].startswith("valid-tool-name 2: has no meaning: not understood at 'Frobnicate |name|.'")
    assert (refused["line"], refused["column"]) == (1, 1)
    assert "InvalidStateError" in outcome()


def test_step_that_does_not_exist_is_told(page: EditedPage) -> None:
    assert "no such step" in json.loads(page.source("no-algorithm", "1"))["error"]
    assert "no such step" in json.loads(page.use(as_json((("no-algorithm", "1"), "Return."))))["error"]


def test_source_that_is_no_text_is_told() -> None:
    page = EditedPage("nothing")
    page.prepare()
    assert "not Bikeshed source" in json.loads(page.source(*LENGTH))["error"]
    assert "not Bikeshed source" in json.loads(page.use(as_json((LENGTH, SHORTER))))["error"]
