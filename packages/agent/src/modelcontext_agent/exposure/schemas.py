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
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator

from modelcontext_agent.exposure.changes import Change, ChangeKind
from modelcontext_agent.exposure.combining import depends, either
from modelcontext_agent.exposure.dialects import DIALECTS, FOR_PEOPLE, KEYWORDS, SchemaDialect, is_plain
from modelcontext_agent.exposure.drafts import LISTS, MAPS, ONE, Schema, escaped, modern
from modelcontext_agent.exposure.framing import clean
from modelcontext_agent.exposure.property_names import with_sendable_names
from modelcontext_agent.exposure.references import subschemas, target, with_pointers
from modelcontext_agent.exposure.rewrites import DEEPEST, REWRITES

if TYPE_CHECKING:
    from modelcontext_agent.exposure.providers import Provider


@dataclass(frozen=True, slots=True)
class Converted:
    """A schema that a provider takes, and how it differs from the page's."""

    schema: Schema
    changes: tuple[Change, ...]
    #: The page's names of properties, by the names that are sent instead.
    names: Mapping[str, str] = field(default_factory=dict)


_VALIDATOR_OF_SCHEMAS = Draft202012Validator(Draft202012Validator.META_SCHEMA)
_DRAFT = "https://json-schema.org/draft/2020-12/schema"

_OF_OBJECTS = frozenset({*ONE, *MAPS, "const", "default", "discriminator", "example"})


def convert(schema: Any, provider: Provider) -> Converted:
    """Return the schema that the provider is sent for what a page gave as ``inputSchema``.

    Args:
        schema: any JSON value; None where the page gave none.
        provider: the provider.
    """
    conversion = _Conversion(DIALECTS[provider])
    return Converted(conversion.root(schema), tuple(conversion.changes), conversion.names)


@dataclass
class _Conversion:
    dialect: SchemaDialect
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
            self.note("/$schema", ChangeKind.REWORDED, "the schema uses the keywords of draft 2020-12")
            schema["$schema"] = _DRAFT
        self.document = copy.deepcopy(schema)
        schema = self.of_an_object(self.without_root_reference(schema))
        if not self.dialect.combines_at_root:
            schema = self.combined(schema, "")
        for keyword in sorted(self.dialect.refused_at_root & schema.keys()):
            self.lose(schema, f"/{keyword}", keyword, schema.pop(keyword))
        schema = self.within_dialect(schema, "")
        schema.setdefault("properties", {})
        self.names = with_sendable_names(
            schema, self.dialect, lambda path, words: self.note(path, ChangeKind.REWORDED, words)
        )
        return schema

    def of_a_shape(self, schema: Schema) -> Schema:
        """Return the schema of an object for what only lists properties, as some libraries write it."""
        # These may have an object as their value; "title", for one, may not, so it is the name of a property.
        if not schema or schema.keys() & _OF_OBJECTS or not all(map(_is_like_schema, schema.values())):
            return schema
        self.note(
            "",
            ChangeKind.REPLACED,
            "it has no keyword of JSON Schema, so its members become the properties of an object",
        )
        return {"type": "object", "properties": schema}

    def with_references(self, schema: Schema) -> None:
        """Make each reference in the schema a pointer that leads somewhere, or leave it out."""
        for path, before, after in with_pointers(schema):
            self.note(f"{path}/$ref", ChangeKind.REWORDED, f"“{before}” becomes “{after}”")
        for path, _, one in list(subschemas(schema)):
            for keyword in ("$id", "$anchor"):
                if one.pop(keyword, None) is not None:
                    self.note(
                        f"{path}/{keyword}", ChangeKind.REWORDED, "each reference becomes a pointer from the root"
                    )
        for path, _, one in list(subschemas(schema)):
            reference = one.get("$ref")
            if path and isinstance(reference, str) and not self.leads(schema, reference):
                del one["$ref"]
                self.lose(one, f"{path}/$ref", "$ref", reference)

    def leads(self, schema: Schema, reference: str) -> bool:
        """Return whether a reference leads somewhere that the provider can follow. Nothing is fetched."""
        if not reference.startswith("#"):
            return self.dialect.refers_elsewhere and is_plain(reference)
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
        while (error := next(_VALIDATOR_OF_SCHEMAS.iter_errors(schema), None)) is not None:
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
            self.note("/$ref", ChangeKind.REWORDED, f"the schema at “{reference}” replaces the reference")
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
                    properties[name] = either(properties[name], property_) if name in properties else property_
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
            elif (key not in both or both[key] == value) and not depends(key, one, other):
                both[key] = value
            elif key not in FOR_PEOPLE and key != "description":
                self.lose(both, path, key, value)
        self.note(path, ChangeKind.REWORDED, "schemas that must all match become one schema")
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
            for rewrite in REWRITES:
                rewrite(self, schema, path)
        for keyword in [key for key in schema if not self.takes(key)]:
            value = schema.pop(keyword)
            where = f"{path}/{escaped(keyword)}"
            if keyword not in KEYWORDS:
                self.note(where, ChangeKind.ANNOTATION, f"“{keyword}” is not a keyword of JSON Schema")
            elif keyword in FOR_PEOPLE:
                self.note(where, ChangeKind.ANNOTATION, f"the provider does not take “{keyword}”")
            else:
                self.lose(schema, where, keyword, value)
        patterns = schema.get("patternProperties", {})
        for pattern in [pattern for pattern in patterns if not is_plain(pattern)]:
            where = f"{path}/patternProperties/{escaped(pattern)}"
            self.lose(schema, where, "patternProperties", {pattern: patterns.pop(pattern)})
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
        return keyword in (KEYWORDS if self.dialect.keywords is None else self.dialect.keywords)

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


def _is_like_schema(value: Any) -> bool:
    return isinstance(value, dict) and bool(value.keys() & {*KEYWORDS, "nullable"})


def _kinds(schema: Schema) -> list[Any]:
    kind = schema.get("type")
    return kind if isinstance(kind, list) else [kind]


def _brief(value: Any, longest: int = 80) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= longest else text[: longest - 1] + "…"
