"""Schemas: a page's JSON Schema in the dialect of a provider, with a report of every change.

A page may register anything as a schema. A provider refuses the whole request when one tool's schema is not what it takes.
So each schema is first made a schema, then the schema of an object, then what the provider takes. A change that makes the
model free to send what the page's schema excludes is reported as such, and the lost words go into the description.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from jsonschema import Draft202012Validator

from modelcontext_agent.exposure.framing import clean
from modelcontext_agent.exposure.providers import Provider

Schema = dict[str, Any]


class ChangeKind(StrEnum):
    """The kinds of changes."""

    #: Other words with the same meaning.
    REWORDED = "reworded"
    #: Words for people are gone; what the schema accepts is the same.
    ANNOTATION = "annotation"
    #: The provider's schema accepts more than the page's. The description says what is lost.
    WIDENED = "widened"
    #: What the page gave is no JSON Schema, or none of an object; that part accepts anything now.
    REPLACED = "replaced"


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a schema. ``path`` is a JSON Pointer into the page's schema."""

    path: str
    kind: ChangeKind
    message: str


@dataclass(frozen=True, slots=True)
class Converted:
    """A schema that a provider takes, and how it differs from the page's."""

    schema: Schema
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class _Dialect:
    """The part of JSON Schema that a provider takes. ``keywords`` None stands for all of them."""

    keywords: frozenset[str] | None = None
    #: anyOf, oneOf and allOf may stand at the root.
    combines_at_root: bool = True
    #: The names that properties of the root may have.
    property_name: re.Pattern[str] | None = None
    #: A schema elsewhere may be referred to.
    refers_elsewhere: bool = False


_DIALECTS = {
    Provider.MCP: _Dialect(refers_elsewhere=True),
    Provider.ANTHROPIC: _Dialect(combines_at_root=False, property_name=re.compile(r"[a-zA-Z0-9_.-]{1,64}")),
    Provider.OPENAI: _Dialect(combines_at_root=False),
    Provider.OPENAI_RESPONSES: _Dialect(combines_at_root=False),
    Provider.GEMINI: _Dialect(
        keywords=frozenset(
            {
                "$defs",
                "$ref",
                "additionalProperties",
                "anyOf",
                "description",
                "enum",
                "items",
                "maxItems",
                "maximum",
                "minItems",
                "minimum",
                "prefixItems",
                "properties",
                "required",
                "type",
            }
        ),
        combines_at_root=False,
    ),
}

#: The deepest nesting that is sent; what is deeper accepts anything.
DEEPEST = 40

# Keywords by what their values hold.
_ONE = frozenset(
    {
        "additionalProperties",
        "contains",
        "contentSchema",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
_LISTS = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
_MAPS = frozenset(("$defs", "definitions", "dependentSchemas", "patternProperties", "properties"))
# Keywords that accept and refuse nothing.
_FOR_PEOPLE = frozenset(
    {
        "$anchor",
        "$comment",
        "$dynamicAnchor",
        "$id",
        "$schema",
        "$vocabulary",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "default",
        "deprecated",
        "discriminator",
        "example",
        "examples",
        "readOnly",
        "title",
        "writeOnly",
    }
)
_TYPES = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
    dict: "object",
    list: "array",
}


def convert(schema: Any, provider: Provider) -> Converted:
    """Return the schema that the provider is sent for what a page gave as ``inputSchema``.

    Args:
        schema: any JSON value; None where the page gave none.
        provider: the provider.
    """
    conversion = _Conversion(_DIALECTS[provider])
    return Converted(conversion.root(schema), tuple(conversion.changes))


@dataclass
class _Conversion:
    dialect: _Dialect
    changes: list[Change] = field(default_factory=list)

    def note(self, path: str, kind: ChangeKind, message: str) -> None:
        self.changes.append(Change(path, kind, message))

    def root(self, given: Any) -> Schema:
        if given is None:
            return {"type": "object", "properties": {}}
        if not isinstance(given, dict):
            self.note("", ChangeKind.REPLACED, f"it is not a schema, but {_brief(given)}; any object is accepted")
            return {"type": "object", "properties": {}}
        schema = self.made_valid(self.sendable(given, "", 0))
        schema = self.of_an_object(self.without_root_reference(schema))
        if not self.dialect.combines_at_root:
            schema = self.combined(schema, "")
        schema = self.within_dialect(schema, "")
        schema.setdefault("properties", {})
        return self.with_sendable_names(schema)

    def sendable(self, value: Any, path: str, depth: int) -> Any:
        """Return a copy without lone surrogates, in which an empty schema replaces what lies too deep."""
        if isinstance(value, str):
            return clean(value)
        if not isinstance(value, dict | list):
            return value
        if depth > DEEPEST:
            self.note(path, ChangeKind.WIDENED, f"parts that are nested more than {DEEPEST} deep are left out")
            return {}
        if isinstance(value, dict):
            return {clean(key): self.sendable(item, f"{path}/{_escape(key)}", depth + 1) for key, item in value.items()}
        return [self.sendable(item, f"{path}/{index}", depth + 1) for index, item in enumerate(value)]

    def made_valid(self, schema: Schema) -> Schema:
        """Return the schema without the keywords whose values JSON Schema does not permit."""
        validator = Draft202012Validator(Draft202012Validator.META_SCHEMA)
        while (error := next(validator.iter_errors(schema), None)) is not None:
            path = list(error.absolute_path)
            # Of a list the whole keyword goes: half of an enumeration means something else.
            while path and not isinstance(path[-1], str):
                path.pop()
            if not path:
                return {}
            holder: Any = schema
            for key in path[:-1]:
                holder = holder[key]
            bad = holder.pop(path[-1])
            where = "".join(f"/{_escape(str(key))}" for key in path)
            self.note(where, ChangeKind.REPLACED, f"JSON Schema does not permit {_brief(bad)} here")
        return schema

    def without_root_reference(self, schema: Schema) -> Schema:
        seen = set()
        while isinstance(reference := schema.get("$ref"), str):
            target = _target(schema, reference)
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            if reference in seen or not isinstance(target, dict):
                self.note("/$ref", ChangeKind.WIDENED, f"“{reference}” leads to no schema")
                return rest
            seen.add(reference)
            self.note("/$ref", ChangeKind.REWORDED, f"“{reference}” stands in its place")
            schema = {**copy.deepcopy(target), **rest}
        return schema

    def of_an_object(self, schema: Schema) -> Schema:
        kind = schema.get("type")
        if kind == "object":
            return schema
        if kind is None or (isinstance(kind, list) and "object" in kind):
            if kind is not None:
                self.note("/type", ChangeKind.REWORDED, "only objects can be sent, so only “object” is left")
            return {**schema, "type": "object"}
        self.note(
            "/type", ChangeKind.REPLACED, f"a tool takes an object, and not {_brief(kind)}; any object is accepted"
        )
        return {"type": "object", **{key: schema[key] for key in ("description", "$defs") if key in schema}}

    def combined(self, schema: Schema, path: str) -> Schema:
        """Return a schema without combinations: their conjunction where there is one, else what they have in common."""
        schema = dict(schema)
        for member in schema.pop("allOf", []):
            if member is True:
                continue
            if member is False or "$ref" in member or "anyOf" in member or "oneOf" in member or "not" in member:
                self.lose(schema, f"{path}/allOf", "allOf", member)
                continue
            schema = self.conjunction(schema, member, f"{path}/allOf")
        for keyword in ("anyOf", "oneOf"):
            if keyword not in schema:
                continue
            members = [member for member in schema.pop(keyword) if isinstance(member, dict)]
            self.lose(schema, f"{path}/{keyword}", keyword, members)
            properties = schema.setdefault("properties", {})
            always = [set(member.get("required", ())) for member in members]
            schema["required"] = sorted({*schema.get("required", ()), *set.intersection(*always)} if always else ())
            for member in members:
                for name, property_ in member.get("properties", {}).items():
                    known = properties.get(name)
                    if known is None or known == property_:
                        properties[name] = property_
                    elif isinstance(known, dict) and set(known) == {"anyOf"}:
                        known["anyOf"].append(property_)
                    else:
                        properties[name] = {"anyOf": [known, property_]}
        return schema

    def conjunction(self, one: Schema, other: Schema, path: str) -> Schema:
        both = dict(one)
        for key, value in other.items():
            if key == "properties":
                mine = dict(both.get("properties", {}))
                for name, property_ in value.items():
                    same = name not in mine or mine[name] == property_
                    mine[name] = property_ if same else {"allOf": [mine[name], property_]}
                both["properties"] = mine
            elif key == "required":
                both["required"] = [*both.get("required", []), *(n for n in value if n not in both.get("required", []))]
            elif key not in both or both[key] == value:
                both[key] = value
            elif key not in _FOR_PEOPLE and key != "description":
                self.lose(both, path, key, value)
        self.note(path, ChangeKind.REWORDED, "what must hold together stands in one schema")
        return both

    def lose(self, schema: Schema, path: str, keyword: str, value: Any) -> None:
        """Note that a keyword's constraint is not sent, and say it in the description."""
        self.note(path, ChangeKind.WIDENED, f"the provider does not take “{keyword}” here")
        words = f"{keyword}: {_brief(value, 400)}"
        description = schema.get("description")
        schema["description"] = f"{description} ({words})" if isinstance(description, str) and description else words

    def within_dialect(self, schema: Schema, path: str) -> Schema:
        """Return the schema, and all schemas in it, in the keywords that the provider takes."""
        schema = dict(schema)
        if self.dialect.keywords is not None:
            for rewrite in _REWRITES:
                rewrite(self, schema, path)
        reference = schema.get("$ref")
        if isinstance(reference, str) and not reference.startswith("#") and not self.dialect.refers_elsewhere:
            del schema["$ref"]
            self.lose(schema, f"{path}/$ref", "$ref", reference)
        for keyword in [key for key in schema if not self.takes(key)]:
            value = schema.pop(keyword)
            if keyword in _FOR_PEOPLE:
                self.note(
                    f"{path}/{_escape(keyword)}", ChangeKind.ANNOTATION, f"the provider does not take “{keyword}”"
                )
            else:
                self.lose(schema, f"{path}/{_escape(keyword)}", keyword, value)
        for keyword, value in list(schema.items()):
            schema[keyword] = self.inside(keyword, value, f"{path}/{_escape(keyword)}")
        if schema.get("type") == "array" and "items" not in schema and not self.dialect.refers_elsewhere:
            schema["items"] = {}
        return schema

    def takes(self, keyword: str) -> bool:
        keywords = self.dialect.keywords
        return keywords is None or keyword in keywords

    def inside(self, keyword: str, value: Any, path: str) -> Any:
        if keyword in _ONE and isinstance(value, dict):
            return self.within_dialect(value, path)
        if keyword in _LISTS and isinstance(value, list):
            return [self.subschema(item, f"{path}/{index}") for index, item in enumerate(value)]
        if keyword in _MAPS and isinstance(value, dict):
            return {name: self.subschema(item, f"{path}/{_escape(name)}") for name, item in value.items()}
        return value

    def subschema(self, value: Any, path: str) -> Any:
        if isinstance(value, dict):
            return self.within_dialect(value, path)
        if self.dialect.keywords is None:
            return value
        if value is False:
            self.note(path, ChangeKind.WIDENED, "the provider does not take “false”, which excludes every value")
        return {}

    def with_sendable_names(self, schema: Schema) -> Schema:
        permitted = self.dialect.property_name
        unsendable = [name for name in schema["properties"] if permitted is not None and not permitted.fullmatch(name)]
        for name in unsendable:
            path = f"/properties/{_escape(name)}"
            self.lose(schema, path, f"property {json.dumps(name, ensure_ascii=False)}", schema["properties"][name])
        if unsendable:
            schema["properties"] = {n: p for n, p in schema["properties"].items() if n not in unsendable}
            if "required" in schema:
                schema["required"] = [name for name in schema["required"] if name not in unsendable]
            if schema.get("additionalProperties") is False:
                del schema["additionalProperties"]
        return schema


def _constant_as_enumeration(conversion: _Conversion, schema: Schema, path: str) -> None:
    if "const" in schema:
        constant = schema.pop("const")
        schema["enum"] = [constant]
        schema.setdefault("type", _TYPES[type(constant)])
        conversion.note(f"{path}/const", ChangeKind.REWORDED, "an enumeration of one value")


def _definitions_by_their_name(conversion: _Conversion, schema: Schema, path: str) -> None:
    if "definitions" in schema:
        schema["$defs"] = {**schema.pop("definitions"), **schema.get("$defs", {})}
        conversion.note(f"{path}/definitions", ChangeKind.REWORDED, "“definitions” is called “$defs”")
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/definitions/"):
        schema["$ref"] = reference.replace("#/definitions/", "#/$defs/", 1)


def _one_of_as_any_of(conversion: _Conversion, schema: Schema, path: str) -> None:
    if "oneOf" in schema and "anyOf" not in schema:
        schema["anyOf"] = schema.pop("oneOf")
        conversion.note(f"{path}/oneOf", ChangeKind.WIDENED, "“oneOf” is “anyOf”: more than one may hold")


def _all_of_as_one(conversion: _Conversion, schema: Schema, path: str) -> None:
    if "allOf" in schema:
        merged = conversion.combined({key: schema[key] for key in schema if key not in ("anyOf", "oneOf")}, path)
        kept = {key: schema[key] for key in ("anyOf", "oneOf") if key in schema}
        schema.clear()
        schema.update(merged, **kept)


def _bounds_of_integers(conversion: _Conversion, schema: Schema, path: str) -> None:
    if schema.get("type") != "integer":
        return
    for exclusive, inclusive, step, tighter in (
        ("exclusiveMinimum", "minimum", 1, max),
        ("exclusiveMaximum", "maximum", -1, min),
    ):
        bound = schema.get(exclusive)
        if isinstance(bound, int) and not isinstance(bound, bool):
            del schema[exclusive]
            schema[inclusive] = tighter(bound + step, schema.get(inclusive, bound + step))
            conversion.note(f"{path}/{exclusive}", ChangeKind.REWORDED, f"“{inclusive}” {schema[inclusive]}")


#: The rewrites for a provider that takes some keywords only: each changes the schema in place, and notes what it did.
_REWRITES: tuple[Callable[[_Conversion, Schema, str], None], ...] = (
    _definitions_by_their_name,
    _all_of_as_one,
    _one_of_as_any_of,
    _constant_as_enumeration,
    _bounds_of_integers,
)


def _target(schema: Schema, reference: str) -> Any:
    """Return what a reference within the schema points to, or None."""
    if not reference.startswith("#/"):
        return None
    target: Any = schema
    for part in _parts(reference):
        target = target.get(part) if isinstance(target, dict) else None
    return target


def _parts(reference: str) -> Iterator[str]:
    for part in reference[2:].split("/"):
        yield part.replace("~1", "/").replace("~0", "~")


def _escape(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _brief(value: Any, longest: int = 80) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= longest else text[: longest - 1] + "…"
