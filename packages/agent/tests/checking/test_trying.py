"""The made-up arguments with which tools that read are run."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from modelcontext_agent.checking.trying import made_up

SCHEMAS: list[Any] = [
    {"type": "object", "properties": {"a": {"type": "string", "minLength": 9}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {"type": "integer", "minimum": 7}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {"type": "number", "exclusiveMinimum": 7}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {"enum": ["x", "y"]}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {"anyOf": [{"type": "boolean"}, {"type": "null"}]}}, "required": ["a"]},
    {
        "type": "object",
        "properties": {"a": {"type": "array", "minItems": 2, "items": {"type": "object", "required": ["b"]}}},
        "required": ["a"],
    },
    {"type": "object", "properties": {"a": {"type": ["null", "string"]}}, "required": ["a"]},
    {"type": "object", "properties": {"a": {"type": "string", "format": "date"}}, "required": ["a"]},
    {"properties": {"a": {"default": 3}, "b": {"examples": ["c"]}}, "required": ["a", "b"]},
]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_arguments_are_valid(schema: Any) -> None:
    jsonschema.validate(made_up(schema), schema)


ODD: list[Any] = [
    None,
    [],
    "a",
    {"required": [1]},
    {"properties": 3, "required": 3},
    {"type": {}},
    {"type": "number", "exclusiveMinimum": "a"},
    {"type": "array", "minItems": "a"},
    {"properties": {"a": {"type": "string", "format": {}, "minLength": {}}}, "required": ["a", "b"]},
]


@pytest.mark.parametrize("schema", ODD)
def test_arguments_of_what_is_no_schema_are_made(schema: Any) -> None:
    made_up(schema)
