"""Generated schemas in the words of each draft of JSON Schema and of OpenAPI, with values that they accept or refuse."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from jsonschema.validators import (
    Draft3Validator,
    Draft4Validator,
    Draft6Validator,
    Draft7Validator,
    Draft201909Validator,
    Draft202012Validator,
)

Schema = dict[str, Any]

#: The validators by the drafts; that of OpenAPI 3.0 is draft 4 with the word “nullable”.
VALIDATORS: dict[str, Any] = {
    "3": Draft3Validator,
    "4": Draft4Validator,
    "6": Draft6Validator,
    "7": Draft7Validator,
    "2019-09": Draft201909Validator,
    "2020-12": Draft202012Validator,
    "openapi": Draft4Validator,
}
NAMES = ("a", "b", "filter[name]", "größe", "in side", "x" * 65)
VALUES: tuple[Any, ...] = (0, 1, 2, 3, 7, 2.5, -1, "", "b", "tea", True, False, None, [], [1, "b"], [1, 2, 3], {})

_OLD = frozenset(("3", "4", "openapi"))
_WITH_TUPLES = frozenset(("3", "4", "6", "7", "2019-09"))


@dataclass(frozen=True)
class Generated:
    """A page's schema, and some values with whether it accepts them."""

    draft: str
    schema: Schema
    values: tuple[tuple[Any, bool], ...]


def generated(seed: int) -> Generated:
    """Return the schema of a seed. Seven seeds in a row have the seven drafts."""
    random = Random(seed)
    draft = list(VALIDATORS)[seed % len(VALIDATORS)]
    schema = _Maker(random, draft).root()
    validator = VALIDATORS[draft](_with_null(schema) if draft == "openapi" else schema)
    values = [_object(random, schema) for _ in range(8)]
    return Generated(draft, schema, tuple((value, validator.is_valid(value)) for value in values))


@dataclass
class _Maker:
    random: Random
    draft: str

    def root(self) -> Schema:
        definitions = "$defs" if self.draft in ("2019-09", "2020-12") else "definitions"
        schema = self.object(2)
        shape = self.random.randrange(6)
        if shape == 0 and self.draft != "3":
            keyword = self.random.choice(["anyOf", "oneOf", "allOf"])
            schema = {"type": "object", keyword: [self.object(1), self.object(1)]}
        elif shape == 1 and self.draft != "3":
            schema = {"type": "object", "allOf": [{"$ref": f"#/{definitions}/Thing"}, self.object(1)]}
        elif shape == 2:
            schema["properties"][self.random.choice(NAMES)] = {"$ref": f"#/{definitions}/Thing"}
        elif shape == 3:
            schema["properties"]["again"] = {"type": "array", "items": {"$ref": "#"}}
        schema[definitions] = {"Thing": self.object(1)}
        if self.draft not in ("openapi", "2020-12") and self.random.random() < 0.5:
            schema["$schema"] = VALIDATORS[self.draft].META_SCHEMA.get("$schema")
        return schema

    def object(self, depth: int) -> Schema:
        names = self.random.sample(NAMES, self.random.randint(1, 3))
        schema: Schema = {"type": "object", "properties": {name: self.part(depth - 1) for name in names}}
        needed = [name for name in names if self.random.random() < 0.4]
        if self.draft == "3":
            for name in needed:
                schema["properties"][name]["required"] = True
        elif needed:
            schema["required"] = needed
        if self.random.random() < 0.3:
            schema["additionalProperties"] = self.random.choice([False, {"type": "string"}])
        if self.random.random() < 0.3:
            keyword = "dependentRequired" if self.draft in ("2019-09", "2020-12") else "dependencies"
            schema[keyword] = {names[0]: [names[-1]]}
        return schema

    def part(self, depth: int) -> Schema:
        makers: list[Callable[[], Schema]] = [self.number, self.text, self.choice, self.array, self.other]
        if depth > 0:
            makers.append(lambda: self.object(depth))
        schema = self.random.choice(makers)()
        if self.draft == "openapi" and isinstance(schema.get("type"), str) and self.random.random() < 0.3:
            schema["nullable"] = True
        return schema

    def number(self) -> Schema:
        schema: Schema = {"type": self.random.choice(["integer", "number"])}
        bound = self.random.choice(["minimum", "maximum"])
        exclusive = f"exclusive{bound.capitalize()}"
        if self.random.random() < 0.6:
            schema[bound] = self.random.randint(0, 3)
            if self.draft in _OLD and self.random.random() < 0.5:
                schema[exclusive] = self.random.random() < 0.5
        elif self.draft not in _OLD:
            schema[exclusive] = self.random.randint(0, 3)
        if self.random.random() < 0.2:
            schema["divisibleBy" if self.draft == "3" else "multipleOf"] = 2
        return schema

    def text(self) -> Schema:
        words: list[Schema] = [{"minLength": 1}, {"maxLength": 2}, {"pattern": "^t"}, {"title": "T"}, {"default": "b"}]
        return {"type": "string", "description": "Words", **self.random.choice(words)}

    def choice(self) -> Schema:
        if self.draft not in _OLD and self.random.random() < 0.4:
            return {"const": self.random.choice([1, "b", True, None])}
        return {"enum": self.random.sample([1, 2, "b", "tea", True, None], 3)}

    def array(self) -> Schema:
        items: list[Schema] = [{"type": "integer"}, {"type": "string"}]
        kind = self.random.randrange(4)
        if kind == 0:
            return {"type": "array", "items": items[0], "minItems": 1, "uniqueItems": True}
        if kind == 1 and self.draft != "openapi":
            schema: Schema = {"type": "array", "items": items}
            rest = self.random.choice([None, False, {"type": "boolean"}])
            if self.draft not in _WITH_TUPLES:
                schema = {"type": "array", "prefixItems": items}
            if rest is not None:
                schema["additionalItems" if self.draft in _WITH_TUPLES else "items"] = rest
            return schema
        return {"type": "array", "items": items[kind % 2], "maxItems": 2}

    def other(self) -> Schema:
        if self.draft == "3":
            return self.random.choice([{"type": "any"}, {"disallow": "string"}, {"extends": {"type": "integer"}}])
        ways: list[Schema] = [
            {"not": {"type": "string"}},
            {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 2}]},
            {"allOf": [{"type": "integer"}, {"minimum": 2}]},
        ]
        if self.draft != "openapi":
            ways.append({"type": ["integer", "null"]})
        if self.draft in ("7", "2019-09", "2020-12"):
            ways.append({"if": {"type": "integer"}, "then": {"minimum": 2}})
        if self.draft not in _OLD:
            ways.append({"contains": {"type": "string"}})
        return self.random.choice(ways)


def _object(random: Random, schema: Schema) -> Schema:
    names = [*schema.get("properties", {}), *NAMES[:3]]
    return {name: copy.deepcopy(random.choice(VALUES)) for name in random.sample(names, random.randint(0, 3))}


def _with_null(schema: Any) -> Any:
    """Return a schema of OpenAPI 3.0 as one of draft 4."""
    if isinstance(schema, list):
        return [_with_null(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    draft_4 = {key: _with_null(value) for key, value in schema.items() if key != "nullable"}
    if schema.get("nullable") is True:
        draft_4["type"] = [draft_4["type"], "null"]
    return draft_4
