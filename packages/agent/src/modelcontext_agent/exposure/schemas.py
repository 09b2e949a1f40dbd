"""Schemas: a page's JSON Schema in the dialect of a provider, with a report of every change.

A page may register anything as a schema. A provider refuses the whole request when one tool's schema is not what it takes.
So each schema is first written in the words of 2020-12, with each reference as a pointer. Then it is made a schema, then
the schema of an object, then what the provider takes. A change that makes the model free to send what the page's schema
excludes is reported as such, and the lost words go into the description.

A property whose name a provider refuses, or in which something could hide, goes by another name, and
:mod:`modelcontext_agent.exposure.schema_words` gives a call the page's name again.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from jsonschema import Draft202012Validator

from modelcontext_agent.exposure.drafts import LISTS, MAPS, ONE, Schema, escaped, modern
from modelcontext_agent.exposure.framing import clean
from modelcontext_agent.exposure.providers import Provider
from modelcontext_agent.exposure.references import subschemas, target, with_pointers


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
    #: The page's names of properties, by the names that are sent instead.
    names: Mapping[str, str] = field(default_factory=dict)


_DRAFT = "https://json-schema.org/draft/2020-12/schema"

#: Names that are sent as they are: nothing can hide in them, and they are no sentence.
_NAME = re.compile(r"[^\s<>&]{1,128}")


@dataclass(frozen=True)
class _Dialect:
    """The part of JSON Schema that a provider takes. ``keywords`` None stands for all of them."""

    keywords: frozenset[str] | None = None
    #: anyOf, oneOf and allOf may stand at the root.
    combines_at_root: bool = True
    #: The names that properties may have.
    property_name: re.Pattern[str] = _NAME
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
#: What shows that an object is a schema, and no list of properties.
_KEYWORDS = frozenset(
    {
        *ONE,
        *LISTS,
        *MAPS,
        *_FOR_PEOPLE,
        "$ref",
        "const",
        "dependentRequired",
        "description",
        "enum",
        "format",
        "maxItems",
        "maxLength",
        "maximum",
        "minItems",
        "minLength",
        "minimum",
        "multipleOf",
        "nullable",
        "pattern",
        "required",
        "type",
    }
)
_OF_OBJECTS = frozenset({*ONE, *MAPS, "const", "default", "discriminator", "example"})
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
    return Converted(conversion.root(schema), tuple(conversion.changes), conversion.names)


@dataclass
class _Conversion:
    dialect: _Dialect
    changes: list[Change] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    #: The page's schema, to which references lead, and the targets that stand in its "$defs" by now.
    document: Schema = field(default_factory=dict)
    hoisted: dict[str, str] = field(default_factory=dict)

    def note(self, path: str, kind: ChangeKind, message: str) -> None:
        self.changes.append(Change(path, kind, message))

    def root(self, given: Any) -> Schema:
        if given is None:
            return {"type": "object", "properties": {}}
        if not isinstance(given, dict):
            self.note("", ChangeKind.REPLACED, f"it is not a schema, but {_brief(given)}; any object is accepted")
            return {"type": "object", "properties": {}}
        schema = self.of_a_shape(self.sendable(given, "", 0))
        schema = modern(schema, lambda path, words: self.note(path, ChangeKind.REWORDED, words))
        schema = self.made_valid(schema)
        self.with_references(schema)
        if isinstance(schema.get("$schema"), str) and schema["$schema"] != _DRAFT:
            self.note("/$schema", ChangeKind.REWORDED, "the schema is written in the words of 2020-12")
            schema["$schema"] = _DRAFT
        self.document = copy.deepcopy(schema)
        schema = self.of_an_object(self.without_root_reference(schema))
        if not self.dialect.combines_at_root:
            schema = self.combined(schema, "")
        schema = self.within_dialect(schema, "")
        schema.setdefault("properties", {})
        return self.with_sendable_names(schema)

    def of_a_shape(self, schema: Schema) -> Schema:
        """Return the schema of an object for what only lists properties, as some libraries write it."""
        # These may have an object as their value; "title", for one, may not, so it is the name of a property.
        if not schema or schema.keys() & _OF_OBJECTS or not all(map(_is_like_schema, schema.values())):
            return schema
        self.note(
            "", ChangeKind.REPLACED, "it has no keyword of JSON Schema, and is taken as the properties of an object"
        )
        return {"type": "object", "properties": schema}

    def with_references(self, schema: Schema) -> None:
        """Make each reference in the schema a pointer that leads somewhere, or leave it out."""
        for path, before, after in with_pointers(schema):
            self.note(f"{path}/$ref", ChangeKind.REWORDED, f"“{before}” is “{after}”")
        for path, _, one in list(subschemas(schema)):
            for keyword in ("$id", "$anchor"):
                if one.pop(keyword, None) is not None:
                    self.note(f"{path}/{keyword}", ChangeKind.REWORDED, "each reference is a pointer from the root")
        for path, _, one in list(subschemas(schema)):
            reference = one.get("$ref")
            if path and isinstance(reference, str) and not self.leads(schema, reference):
                del one["$ref"]
                self.lose(one, f"{path}/$ref", "$ref", reference)

    def leads(self, schema: Schema, reference: str) -> bool:
        """Return whether a reference leads somewhere that the provider can follow. Nothing is fetched."""
        if not reference.startswith("#"):
            return self.dialect.refers_elsewhere
        return target(schema, reference) is not None

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
            return {clean(key): self.sendable(item, f"{path}/{escaped(key)}", depth + 1) for key, item in value.items()}
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
            where = "".join(f"/{escaped(str(key))}" for key in path)
            self.note(where, ChangeKind.REPLACED, f"JSON Schema does not permit {_brief(bad)} here")
        return schema

    def without_root_reference(self, schema: Schema) -> Schema:
        seen = set()
        while isinstance(reference := schema.get("$ref"), str):
            found = target(self.document, reference)
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            if reference in seen or not isinstance(found, dict):
                self.lose(rest, "/$ref", "$ref", reference)
                return rest
            seen.add(reference)
            self.note("/$ref", ChangeKind.REWORDED, f"“{reference}” stands in its place")
            schema = self.conjunction(copy.deepcopy(found), rest, "/$ref") if rest else copy.deepcopy(found)
        return schema

    def resolved(self, schema: Any) -> Any:
        """Return a schema with what it refers to in the reference's place, as long as it is a reference."""
        for _ in range(DEEPEST):
            reference = schema.get("$ref") if isinstance(schema, dict) else None
            found = target(self.document, reference) if isinstance(reference, str) else None
            if not isinstance(found, dict):
                break
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            schema = self.conjunction(copy.deepcopy(found), rest, "") if rest else copy.deepcopy(found)
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
        for member in map(self.resolved, schema.pop("allOf", [])):
            if member is True:
                continue
            if member is False or {"$ref", "anyOf", "oneOf", "not"} & member.keys():
                self.lose(schema, f"{path}/allOf", "allOf", member)
                continue
            schema = self.conjunction(schema, member, f"{path}/allOf")
        for keyword in ("anyOf", "oneOf"):
            if keyword not in schema:
                continue
            given = schema.pop(keyword)
            self.lose(schema, f"{path}/{keyword}", keyword, given)
            # One that accepts everything makes the others mean nothing.
            members = [self.flat(self.resolved(member)) for member in given if member is not False]
            properties = schema.setdefault("properties", {})
            always = [set(member.get("required", ())) for member in members]
            schema["required"] = sorted({*schema.get("required", ()), *set.intersection(*always)} if always else ())
            for member in members:
                for name, property_ in member.get("properties", {}).items():
                    properties[name] = _either(properties[name], property_) if name in properties else property_
        return schema

    def flat(self, member: Any) -> Schema:
        """Return a member of a combination without combinations of its own; its losses are those of the whole."""
        inner = _Conversion(self.dialect, document=self.document)
        return inner.combined(member, "") if isinstance(member, dict) else {}

    def conjunction(self, one: Schema, other: Schema, path: str) -> Schema:
        both = dict(one)
        for key, value in other.items():
            if key == "properties":
                mine = dict(both.get("properties", {}))
                if {"additionalProperties", "unevaluatedProperties"} & one.keys() and value.keys() - mine.keys():
                    self.lose(both, path, "additionalProperties", one.get("additionalProperties"))
                for name, property_ in value.items():
                    same = name not in mine or mine[name] == property_
                    mine[name] = property_ if same else {"allOf": [mine[name], property_]}
                both["properties"] = mine
            elif key == "required":
                both["required"] = [*both.get("required", []), *(n for n in value if n not in both.get("required", []))]
            elif (key not in both or both[key] == value) and not _depends(key, one, other):
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
        for keyword in [key for key in schema if not self.takes(key)]:
            value = schema.pop(keyword)
            if keyword in _FOR_PEOPLE:
                self.note(
                    f"{path}/{escaped(keyword)}", ChangeKind.ANNOTATION, f"the provider does not take “{keyword}”"
                )
            else:
                self.lose(schema, f"{path}/{escaped(keyword)}", keyword, value)
        for keyword, value in list(schema.items()):
            schema[keyword] = self.inside(keyword, value, f"{path}/{escaped(keyword)}")
        if "array" in _kinds(schema) and "items" not in schema and not self.dialect.refers_elsewhere:
            schema["items"] = {}
        if path == "":
            self.add_hoisted(schema)
        return schema

    def add_hoisted(self, schema: Schema) -> None:
        """Put the targets of references that the provider finds only in “$defs” there."""
        done: set[str] = set()
        while missing := [name for name in self.hoisted.values() if name not in done]:
            for name in missing:
                done.add(name)
                pointer = next(key for key, value in self.hoisted.items() if value == name)
                found = target(self.document, pointer)
                copied = (
                    {key: value for key, value in found.items() if key != "$defs"} if isinstance(found, dict) else {}
                )
                schema["$defs"] = {**schema.get("$defs", {}), name: self.within_dialect(copied, f"/$defs/{name}")}

    def takes(self, keyword: str) -> bool:
        keywords = self.dialect.keywords
        return keywords is None or keyword in keywords

    def inside(self, keyword: str, value: Any, path: str) -> Any:
        if keyword in ONE and isinstance(value, dict):
            return self.within_dialect(value, path)
        if keyword in LISTS and isinstance(value, list):
            return [self.subschema(item, f"{path}/{index}") for index, item in enumerate(value)]
        if keyword in MAPS and isinstance(value, dict):
            return {name: self.subschema(item, f"{path}/{escaped(name)}") for name, item in value.items()}
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
        """Return the schema with other names for the properties whose names are not sent."""
        for path, _, one in list(subschemas(schema)):
            for name, property_ in (one.get("properties") or {}).items():
                if self.is_sendable(name) or name in self.names.values():
                    continue
                sent = self.name_for(name)
                self.names[sent] = name
                where = f"{path}/properties/{escaped(name)}"
                self.note(
                    where, ChangeKind.REWORDED, f"the property goes by the name “{sent}”, and the page gets its own"
                )
                if isinstance(property_, dict):
                    words = f"The page calls it {json.dumps(name, ensure_ascii=False)}."
                    said = property_.get("description")
                    property_["description"] = f"{words} {said}" if isinstance(said, str) and said else words
        if not self.names:
            return schema
        sent_names = {name: sent for sent, name in self.names.items()}
        for _, _, one in list(subschemas(schema)):
            for keyword in ("properties", "dependentSchemas", "dependentRequired"):
                if isinstance(one.get(keyword), dict):
                    one[keyword] = {sent_names.get(name, name): value for name, value in one[keyword].items()}
            dependent = one.get("dependentRequired") or {}
            lists = [(one, "required"), *((dependent, name) for name in dependent)]
            for holder, key in lists:
                if isinstance(holder.get(key), list):
                    holder[key] = [sent_names.get(name, name) for name in holder[key]]
            if isinstance(reference := one.get("$ref"), str):
                one["$ref"] = _with_names(reference, sent_names)
        return schema

    def is_sendable(self, name: str) -> bool:
        return name.isprintable() and bool(self.dialect.property_name.fullmatch(name))

    def name_for(self, name: str) -> str:
        """Return the name that stands for a property's: a readable part, and digits that no other name has."""
        readable = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:40] or "property"
        return f"{readable}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _with_names(reference: str, sent_names: Mapping[str, str]) -> str:
    parts = reference.split("/")
    for index, part in enumerate(parts[1:], 1):
        if parts[index - 1] == "properties":
            parts[index] = escaped(sent_names.get(part.replace("~1", "/").replace("~0", "~"), part)) if part else part
    return "/".join(parts)


def _is_like_schema(value: Any) -> bool:
    return isinstance(value, dict) and bool(value.keys() & _KEYWORDS)


def _either(one: Any, other: Any) -> Any:
    """Return a schema for what one of two schemas accepts."""
    if one == other:
        return one
    alternatives = one["anyOf"] if isinstance(one, dict) and set(one) == {"anyOf"} else [one]
    values = [_values(item) for item in (*alternatives, other)]
    if all(item is not None for item in values):
        found: list[Any] = []
        for value in (value for item in values for value in item or ()):
            if json.dumps(value) not in map(json.dumps, found):
                found.append(value)
        kinds = {item.get("type") for item in (*alternatives, other)}
        return {**({"type": kind} if len(kinds) == 1 and (kind := kinds.pop()) else {}), "enum": found}
    return {"anyOf": [*alternatives, other]}


def _values(schema: Any) -> list[Any] | None:
    """Return the values that a schema lists, if that is all it says."""
    if not isinstance(schema, dict) or not schema.keys() <= {"const", "enum", "type"}:
        return None
    return [schema["const"]] if "const" in schema and "enum" not in schema else schema.get("enum")


#: Keywords whose meaning depends on others of their group: those of two schemas do not join.
_GROUPS = (
    frozenset(("additionalProperties", "patternProperties", "properties", "unevaluatedProperties")),
    frozenset(("items", "prefixItems", "unevaluatedItems")),
    frozenset(("contains", "maxContains", "minContains")),
    frozenset(("else", "if", "then")),
)


def _depends(key: str, one: Schema, other: Schema) -> bool:
    """Return whether a keyword means something else beside the other schema's keywords."""
    group = next((group for group in _GROUPS if key in group), frozenset())
    return bool(group) and any(one.get(keyword) != other.get(keyword) for keyword in group & one.keys())


def _kinds(schema: Schema) -> list[Any]:
    kind = schema.get("type")
    return kind if isinstance(kind, list) else [kind]


def _constant_as_enumeration(conversion: _Conversion, schema: Schema, path: str) -> None:
    if "const" in schema:
        constant = schema.pop("const")
        schema["enum"] = [constant]
        schema.setdefault("type", _TYPES[type(constant)])
        conversion.note(f"{path}/const", ChangeKind.REWORDED, "an enumeration of one value")


def _definitions_in_one_place(conversion: _Conversion, schema: Schema, path: str) -> None:
    if "definitions" in schema:
        schema["$defs"] = {**schema.pop("definitions"), **schema.get("$defs", {})}
        conversion.note(f"{path}/definitions", ChangeKind.REWORDED, "“definitions” is called “$defs”")
    if path and "$defs" in schema and not path.startswith("/$defs/"):
        # What is referred to stands at the root.
        del schema["$defs"]
    reference = schema.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#"):
        return
    others = schema.keys() - {"$ref", "$defs", "description"}
    if others:
        merged = conversion.resolved({key: value for key, value in schema.items() if key != "$defs"})
        if "$ref" not in merged and path.count("/") < DEEPEST:
            conversion.note(f"{path}/$ref", ChangeKind.REWORDED, f"“{reference}” stands in its place")
            schema.clear()
            schema.update(merged)
            _definitions_in_one_place(conversion, schema, path)
            return
    parts = reference.split("/")
    if len(parts) == 3 and parts[1] in ("$defs", "definitions"):
        schema["$ref"] = f"#/$defs/{parts[2]}"
    else:
        name = conversion.hoisted.setdefault(reference, f"part{len(conversion.hoisted) + 1}")
        schema["$ref"] = f"#/$defs/{name}"
        conversion.note(f"{path}/$ref", ChangeKind.REWORDED, f"“{reference}” stands in “$defs”")


def _closed_tuple(conversion: _Conversion, schema: Schema, path: str) -> None:
    if schema.get("items") is False:
        most = len(schema.get("prefixItems", ()))
        del schema["items"]
        schema["maxItems"] = min(most, schema.get("maxItems", most))
        conversion.note(f"{path}/items", ChangeKind.REWORDED, f"“maxItems” {schema['maxItems']}")


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
    _definitions_in_one_place,
    _all_of_as_one,
    _closed_tuple,
    _one_of_as_any_of,
    _constant_as_enumeration,
    _bounds_of_integers,
)


def _brief(value: Any, longest: int = 80) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= longest else text[: longest - 1] + "…"
