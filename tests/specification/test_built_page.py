"""The built page of the current text: anchors and numbers of steps and Issues, and the source below it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import lxml.html
import pytest

from modelcontext.spec.revisions.registry import CURRENT
from modelcontext.spec.specification.text.algorithms import load_algorithms
from modelcontext.spec.specification.text.bikeshed import build

if TYPE_CHECKING:
    from lxml.html import HtmlElement

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def page(built_texts: None) -> HtmlElement:
    return lxml.html.document_fromstring(build(ROOT / CURRENT.text, ROOT / CURRENT.cache))


def test_every_step_has_an_anchor_and_shows_its_whole_number(page: HtmlElement) -> None:
    numbers = {element.get("id"): element.get("data-number") for element in page.xpath("//*[contains(@id, '-step-')]")}
    expected = {f"{one.id}-step-{step.number}": step.number for one in load_algorithms() for step in one.steps}
    assert {id_: numbers.get(id_) for id_ in expected} == expected


def test_every_issue_and_its_copy_in_the_index_show_the_number_of_its_id(page: HtmlElement) -> None:
    issues = page.xpath("//*[contains(concat(' ', @class, ' '), ' issue ')]")
    numbers = [issue.get("data-number") for issue in issues]
    ids = [issue.get("id") for issue in issues if issue.get("id")]
    assert ids == [f"issue-{number}" for number in numbers[: len(ids)]]
    assert sorted(numbers[len(ids) :]) == sorted(numbers[: len(ids)])


def test_no_expression_in_the_text_became_a_link(page: HtmlElement) -> None:
    expressions = page.xpath("//code[starts-with(., '^(')]")
    assert expressions
    assert [code.text_content() for code in expressions if code.xpath(".//a")] == []


def test_lines_of_the_source_are_shorter_than_120_characters() -> None:
    lines = (ROOT / CURRENT.text).read_text(encoding="utf-8").splitlines()
    assert [number for number, line in enumerate(lines, start=1) if len(line) >= 120] == []
