"""The ends of calls: JSON of pages, and definitions that are no definitions."""

from __future__ import annotations

import json

import pytest

from modelcontext_agent.pages.endings import done
from modelcontext_agent.pages.listing import DEEPEST_DEFINITION, LONGEST_DEFINITION, read_tool
from modelcontext_agent.strict_json import depth, json_value

PLACE = {"document": "1", "origin": "https://a.example", "frame": "main", "url": "https://a.example/"}


@pytest.mark.parametrize(
    ("text", "output"),
    [
        (None, None),
        ("undefined", None),
        ("null", None),
        ('"undefined"', "undefined"),
        ('{"n": 1.5}', {"n": 1.5}),
        ("no JSON", "no JSON"),
        ("NaN", "NaN"),
        ("1e999", "1e999"),
    ],
)
def test_value_of_a_tool_is_its_json_and_else_its_text(text: str | None, output: object) -> None:
    assert done(text).output == output


@pytest.mark.parametrize("text", ["[" * 100_000, "Infinity", "-1e999", "{"])
def test_text_that_is_no_json_here_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"JSON|too large|Expecting"):
        json_value(text)


def test_definition_is_read_with_its_place() -> None:
    tool = read_tool(json.dumps({"name": "t", "description": "d", "inputSchema": {"a": [1]}}), **PLACE)
    assert tool is not None
    assert (tool.name, tool.input_schema, tool.origin) == ("t", {"a": [1]}, "https://a.example")


@pytest.mark.parametrize(
    "definition",
    [
        "{",
        "[]",
        '{"name": "t"}',
        '{"name": 1, "description": "d"}',
        json.dumps({"name": "t", "description": "d" * LONGEST_DEFINITION}),
        f'{{"name": "t", "description": "d", "inputSchema": {"[" * DEEPEST_DEFINITION}1{"]" * DEEPEST_DEFINITION}}}',
    ],
    ids=["no JSON", "no object", "no description", "no name", "long", "deep"],
)
def test_text_that_is_no_definition_is_left_out(definition: str) -> None:
    assert read_tool(definition, **PLACE) is None


@pytest.mark.parametrize(("value", "levels"), [(1, 0), ([], 1), ({"a": [1, {"b": 2}]}, 3)])
def test_depth_counts_arrays_and_objects(value: object, levels: int) -> None:
    assert depth(value) == levels
