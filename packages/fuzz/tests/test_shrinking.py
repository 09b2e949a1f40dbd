"""The shrinking of programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from modelcontext.programs.program.reading import from_data
from modelcontext_fuzz.shrink import shrink

if TYPE_CHECKING:
    from modelcontext.programs.program.language import Program

BIG = from_data(
    {
        "title": "big",
        "documents": {"child": {"parent": "top", "origin": "B", "allow": "tools *"}, "other": {"parent": "child"}},
        "script": {
            "top": [
                {"do": "listen", "type": "toolchange", "steps": [{"do": "log", "value": 1}]},
                {
                    "do": "registerTool",
                    "as": "register",
                    "tool": {"name": "u", "description": "d", "title": "long title"},
                },
                {"do": "timer", "steps": [{"do": "getTools", "as": "nested"}]},
            ],
            "child": [
                {
                    "do": "registerTool",
                    "tool": {"name": "t", "description": "d"},
                    "callback": {"resolves": {"$symbol": "s"}},
                },
                {"do": "executeTool", "tool": {"$tool": "t"}, "input": {"a": [1, {"$js": "NaN"}]}},
            ],
        },
    }
)


def first(group: Sequence[Program], *needed: str) -> int | None:
    texts = [program.dumps_json() for program in group]
    return next((index for index, text in enumerate(texts) if all(word in text for word in needed)), None)


def test_shrinking_leaves_only_what_the_finding_needs() -> None:
    small = shrink(BIG, lambda group: first(group, "$symbol", "executeTool"))
    assert list(small.documents) == ["top"]
    assert [step.do for step in small.steps("top")] == ["registerTool", "executeTool"]
    assert len(small.dumps_toml().splitlines()) <= 14


def test_program_stays_if_no_smaller_one_shows_the_finding() -> None:
    small = shrink(BIG, lambda group: None)
    assert small == BIG


def test_shrinking_stops_at_the_limit() -> None:
    tried = 0

    def count(group: Sequence[Program]) -> None:
        nonlocal tried
        tried += len(group)

    shrink(BIG, count, most=20)
    assert 20 <= tried <= 30


FORMS = from_data(
    {
        "title": "forms",
        "documents": {
            "top": {
                "html": '<div id="all"><form id="f" toolname="t" tooldescription="d" tooltitle="title">'
                '<label>Label<input id="a" name="a" type="number" min="1"></label><button id="b">Send</button></form>'
                '<form id="g"><input id="c"></form></div>'
            }
        },
        "script": {
            "top": [
                {"do": "listen", "element": "f", "type": "submit", "steps": [{"do": "click", "element": "c"}]},
                {"do": "insertAdjacentHTML", "element": "f", "html": '<p id="p"><input id="i" name="i" required></p>'},
                {"do": "fill", "element": "c", "value": "x"},
                {"do": "getTools"},
            ]
        },
    }
)


def test_shrinking_takes_elements_and_attributes_out_of_markup() -> None:
    small = shrink(FORMS, lambda group: first(group, "toolname", "min=", "getTools"))
    assert small.documents["top"].html == '<form toolname="t"><input min="1"></form>'
    assert [step.do for step in small.steps("top")] == ["getTools"]


def test_shrinking_takes_out_the_steps_of_an_element_that_goes() -> None:
    small = shrink(FORMS, lambda group: first(group, "insertAdjacentHTML", "required"))
    assert [dict(step.arguments) for step in small.steps("top")] == [{"element": "f", "html": "<input required>"}]
