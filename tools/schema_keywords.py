"""The page of the documentation that says what becomes of each keyword of JSON Schema for each provider.

``python tools/schema_keywords.py`` writes it; ``--check`` only compares. Each cell is what the conversion reports of a small
schema with the keyword.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from modelcontext_agent.exposure.changes import ChangeKind
from modelcontext_agent.exposure.providers import Provider
from modelcontext_agent.exposure.schemas import convert

ROOT = Path(__file__).resolve().parents[1]
WRITTEN = ROOT / "docs" / "schema-keywords.md"

COLUMNS = {
    "MCP": Provider.MCP,
    "Anthropic": Provider.ANTHROPIC,
    "OpenAI": Provider.OPENAI,
    "Gemini": Provider.GEMINI,
}
#: From the change that matters least to the one that matters most.
_RANKS = (ChangeKind.REWORDED, ChangeKind.ANNOTATION, ChangeKind.WIDENED, ChangeKind.REPLACED)

_NUMBER: dict[str, Any] = {"type": "number"}
_ITEMS: dict[str, Any] = {"type": "array", "items": _NUMBER}
_TUPLE: list[Any] = [_NUMBER, {"type": "string"}]
_OBJECT: dict[str, Any] = {"type": "object", "properties": {"a": _NUMBER}}

#: A property's schema for each keyword of JSON Schema 2020-12, and in which cases it is told apart.
PRESENT: dict[str, Any] = {
    "additionalProperties": {**_OBJECT, "additionalProperties": False},
    "allOf": {"allOf": [_NUMBER, {"minimum": 1}]},
    "anyOf": {"anyOf": _TUPLE},
    "const": {"const": 1},
    "contains": {**_ITEMS, "contains": {"minimum": 1}},
    "contentMediaType": {"type": "string", "contentMediaType": "text/html"},
    "default": {**_NUMBER, "default": 1},
    "dependentRequired": {**_OBJECT, "dependentRequired": {"a": ["b"]}},
    "dependentSchemas": {**_OBJECT, "dependentSchemas": {"a": {"required": ["b"]}}},
    "deprecated": {**_NUMBER, "deprecated": True},
    "description": {**_NUMBER, "description": "How many"},
    "enum of strings and numbers": {"enum": ["a", 1]},
    "enum with null": {"enum": ["a", None]},
    "enum with objects": {"enum": ["a", {}]},
    "examples": {**_NUMBER, "examples": [1]},
    "exclusiveMinimum of an integer": {"type": "integer", "exclusiveMinimum": 1},
    "exclusiveMinimum of a number": {**_NUMBER, "exclusiveMinimum": 1},
    "format": {"type": "string", "format": "date"},
    "if, then, else": {"if": {"type": "number"}, "then": {"minimum": 1}},
    "items": _ITEMS,
    "maxItems, minItems": {**_ITEMS, "minItems": 1, "maxItems": 2},
    "maxLength, minLength": {"type": "string", "minLength": 1, "maxLength": 2},
    "maxProperties, minProperties": {**_OBJECT, "minProperties": 1},
    "maximum, minimum": {**_NUMBER, "minimum": 1, "maximum": 2},
    "multipleOf": {**_NUMBER, "multipleOf": 2},
    "not": {"not": _NUMBER},
    "oneOf": {"oneOf": _TUPLE},
    "pattern": {"type": "string", "pattern": "^a"},
    "patternProperties": {"type": "object", "patternProperties": {"^a": _NUMBER}},
    "prefixItems": {"type": "array", "prefixItems": _TUPLE},
    "prefixItems, and items: false": {"type": "array", "prefixItems": _TUPLE, "items": False},
    "properties, required": {**_OBJECT, "required": ["a"]},
    "propertyNames": {"type": "object", "propertyNames": {"maxLength": 3}},
    "readOnly, writeOnly": {**_NUMBER, "readOnly": True},
    "title": {**_NUMBER, "title": "Count"},
    "type, a list": {"type": ["number", "null"]},
    "unevaluatedItems": {**_ITEMS, "unevaluatedItems": False},
    "unevaluatedProperties": {**_OBJECT, "unevaluatedProperties": False},
    "uniqueItems": {**_ITEMS, "uniqueItems": True},
}
#: The same for keywords of older drafts and of OpenAPI.
OLDER: dict[str, Any] = {
    "$recursiveRef (2019-09)": {"type": "array", "items": {"$recursiveRef": "#"}},
    "additionalItems (3 to 2019-09)": {"type": "array", "items": _TUPLE, "additionalItems": _NUMBER},
    "dependencies (3 to 7)": {**_OBJECT, "dependencies": {"a": ["b"]}},
    "discriminator (OpenAPI)": {"anyOf": [_OBJECT], "discriminator": {"propertyName": "a"}},
    "disallow (3)": {"disallow": "number"},
    "divisibleBy (3)": {**_NUMBER, "divisibleBy": 2},
    "example (OpenAPI)": {**_NUMBER, "example": 1},
    "exclusiveMinimum: true (3, 4, OpenAPI)": {"type": "integer", "minimum": 1, "exclusiveMinimum": True},
    "extends (3)": {"extends": _NUMBER},
    "items, a list (3 to 2019-09)": {"type": "array", "items": _TUPLE},
    "nullable (OpenAPI)": {**_NUMBER, "nullable": True},
    "required: true (3)": {**_NUMBER, "required": True},
    "type: any (3)": {"type": "any"},
}
_WHOLE = {"type": "object", **_OBJECT}
#: Whole schemas of a tool.
ROOTS: dict[str, Any] = {
    "allOf at the root": {"type": "object", "allOf": [_OBJECT, {"required": ["a"]}]},
    "anyOf, oneOf at the root": {"type": "object", "anyOf": [_OBJECT, {"required": ["b"]}]},
    "not, enum at the root": {**_WHOLE, "not": {"required": ["a", "b"]}},
    "$ref, into $defs": {"type": "object", "properties": {"x": {"$ref": "#/$defs/A"}}, "$defs": {"A": _NUMBER}},
    "$ref, into properties": {"type": "object", "properties": {"x": {"$ref": "#/properties/y"}, "y": _NUMBER}},
    "$ref to the root (recursive)": {"type": "object", "properties": {"x": {"$ref": "#"}}},
    "$ref to an $anchor": {
        "type": "object",
        "properties": {"x": {"$ref": "#here"}},
        "$defs": {"A": {"$anchor": "here", **_NUMBER}},
    },
    "$ref elsewhere (never fetched)": {"type": "object", "properties": {"x": {"$ref": "https://a.test/x.json"}}},
    "a name such as filter[name]": {"type": "object", "properties": {"filter[name]": _NUMBER}},
    "a name with a space": {"type": "object", "properties": {"first name": _NUMBER}},
    "$schema of an older draft": {**_WHOLE, "$schema": "http://json-schema.org/draft-07/schema#"},
    "a shape, without a keyword": {"a": _NUMBER},
    "a root that is no object": {"type": "string"},
    "no schema": None,
}

_PAGE = """\
<!-- AUTOGENERATED by tools/schema_keywords.py -->

# Keywords of schemas, by provider

A page can use any keyword in the schema of a tool. [The agent side](agent.md) sends each model provider only keywords that the
provider accepts. The tables show what happens to each keyword.

| cell | meaning |
|---|---|
| kept | The agent side sends the keyword as the page wrote it. |
| reworded | The agent side sends other keywords with the same meaning, or another name for the property. |
| annotation | The agent side leaves out the keyword, which only informs people. The schema accepts the same values. |
| widened | The agent side sends a schema that accepts more values. The description that the model reads has the keyword. |
| replaced | The page's schema does not describe an object. The agent side sends another schema instead. |

`modelcontext agent tools URL --format PROVIDER --explain` lists these changes for the tools of a page.

## Keywords of 2020-12

{present}

## Keywords of older drafts and of OpenAPI

{older}

## Whole schemas

{roots}

The column MCP is about the clients of [modelcontext mcp](mcp.md). The column OpenAI is about both formats of OpenAI.
"""


def page() -> str:
    """Return the text of the page."""
    within = {
        title: {name: {"type": "object", "properties": {"x": schema}} for name, schema in samples.items()}
        for title, samples in (("present", PRESENT), ("older", OLDER))
    }
    return _PAGE.format(**{title: _table(samples) for title, samples in {**within, "roots": ROOTS}.items()})


def _table(samples: dict[str, Any]) -> str:
    rows = [f"| keyword | {' | '.join(COLUMNS)} |", f"|---|{'---|' * len(COLUMNS)}"]
    for name, schema in samples.items():
        cells = [fate(schema, provider) for provider in COLUMNS.values()]
        rows.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(rows)


def fate(schema: Any, provider: Provider) -> str:
    """Return what the conversion does to a schema, by the change that matters most."""
    kinds = {change.kind for change in convert(schema, provider).changes}
    return max(kinds, key=_RANKS.index).value if kinds else "kept"


def main() -> None:
    """Write the page, or compare it."""
    if sys.argv[1:] == ["--check"]:
        if page() != WRITTEN.read_text(encoding="utf-8"):
            sys.exit(f"{WRITTEN.relative_to(ROOT)} is not up to date: run python tools/schema_keywords.py")
    else:
        WRITTEN.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
