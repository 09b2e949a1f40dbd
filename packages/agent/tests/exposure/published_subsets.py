"""The part of JSON Schema that each provider takes, as its documentation has it: a validator for each.

The package has dialects of its own. These are written from the documentation again, so that a mistake in one shows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from jsonschema import Draft202012Validator

from modelcontext_agent.exposure.providers import Provider

#: “Tool schemas”: the keywords of Gemini's ``parametersJsonSchema``.
GEMINI = frozenset(
    [
        "$anchor",
        "$defs",
        "$id",
        "$ref",
        "additionalProperties",
        "anyOf",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "oneOf",
        "prefixItems",
        "properties",
        "propertyOrdering",
        "required",
        "title",
        "type",
    ]
)
#: “Property keys should match pattern”.
ANTHROPIC_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,64}")

_VALIDATOR_OF_SCHEMAS = Draft202012Validator(Draft202012Validator.META_SCHEMA)

_ONE = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
]


def problems(schema: Any, provider: Provider) -> list[str]:
    """Return what a provider's documentation forbids in a schema."""
    return [*_of_all(schema), *_RULES[provider](schema)]


def _of_all(schema: Any) -> Iterator[str]:
    if not isinstance(schema, dict) or schema.get("type") != "object":
        yield "the root is no object"
        return
    yield from (error.message for error in _VALIDATOR_OF_SCHEMAS.iter_errors(schema))
    for path, part in _parts(schema):
        reference = part.get("$ref")
        if isinstance(reference, str) and reference.startswith("#") and not _leads(schema, reference):
            yield f"{path}: {reference} leads nowhere"


def _anthropic(schema: Any) -> Iterator[str]:
    yield from _without_at_root(schema, "anyOf", "oneOf", "allOf")
    for path, part in _parts(schema):
        yield from _within(path, part)
        for name in part.get("properties", {}):
            if not ANTHROPIC_NAME.fullmatch(name):
                yield f"{path}: the name {name!r}"


def _openai(schema: Any) -> Iterator[str]:
    yield from _without_at_root(schema, "anyOf", "oneOf", "allOf", "enum", "not")
    for path, part in _parts(schema):
        yield from _within(path, part)
        if "array" in str(part.get("type")) and "items" not in part:
            yield f"{path}: an array without items"


def _gemini(schema: Any) -> Iterator[str]:
    for path, part in _parts(schema):
        yield from _within(path, part)
        for keyword in sorted(part.keys() - GEMINI):
            yield f"{path}: the keyword {keyword}"
        if "$ref" in part and any(not keyword.startswith("$") for keyword in part):
            yield f"{path}: a keyword beside $ref"
        if any(isinstance(value, bool) or not isinstance(value, str | int | float) for value in part.get("enum", ())):
            yield f"{path}: an enumeration of more than strings and numbers"


def _without_at_root(schema: Any, *keywords: str) -> Iterator[str]:
    yield from (f"{keyword} at the root" for keyword in keywords if keyword in schema)


def _within(path: str, part: dict[str, Any]) -> Iterator[str]:
    reference = part.get("$ref")
    if isinstance(reference, str) and not reference.startswith("#"):
        yield f"{path}: a reference elsewhere, {reference}"


def _parts(schema: Any, path: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    if not isinstance(schema, dict):
        return
    yield path, schema
    for keyword in _ONE:
        yield from _parts(schema.get(keyword), f"{path}/{keyword}")
    for keyword in ("allOf", "anyOf", "oneOf", "prefixItems"):
        for index, part in enumerate(schema.get(keyword, ())):
            yield from _parts(part, f"{path}/{keyword}/{index}")
    for keyword in ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties"):
        for name, part in schema.get(keyword, {}).items():
            yield from _parts(part, f"{path}/{keyword}/{name}")


def _leads(schema: Any, reference: str) -> bool:
    found = schema
    for part in reference.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list):
            found = found[int(key)] if key.isdecimal() and int(key) < len(found) else None
        else:
            found = found.get(key) if isinstance(found, dict) else None
    return found is not None


_RULES: dict[Provider, Callable[[Any], Iterator[str]]] = {
    Provider.ANTHROPIC: _anthropic,
    Provider.OPENAI: _openai,
    Provider.OPENAI_RESPONSES: _openai,
    Provider.GEMINI: _gemini,
    Provider.MCP: lambda schema: iter(()),
}
