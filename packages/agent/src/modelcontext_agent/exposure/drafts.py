"""Older drafts: a schema in the words of drafts 3 to 2019-09 or of OpenAPI, in the words of 2020-12 that mean the same.

Pages write what their libraries write, and few of them write the draft that providers take. A keyword whose value has the
form of 2020-12 is left alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Schema = dict[str, Any]
#: Takes the path of a keyword and what is said instead of it.
Note = Callable[[str, str], None]

# Keywords by what their values hold.
ONE = frozenset(
    {
        "additionalItems",
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
LISTS = frozenset(("allOf", "anyOf", "oneOf", "prefixItems"))
MAPS = frozenset(("$defs", "definitions", "dependentSchemas", "patternProperties", "properties"))


def modern(given: Any, note: Note, path: str = "") -> Any:
    """Return a schema, and all schemas in it, in the words of 2020-12."""
    if not isinstance(given, dict):
        return given
    schema = dict(given)
    for rewrite in _REWRITES:
        rewrite(schema, lambda keyword, words: note(f"{path}/{keyword}", words))
    for keyword, value in list(schema.items()):
        where = f"{path}/{keyword}"
        if keyword in ONE:
            schema[keyword] = modern(value, note, where)
        elif keyword in LISTS and isinstance(value, list):
            schema[keyword] = [modern(item, note, f"{where}/{index}") for index, item in enumerate(value)]
        elif keyword in MAPS and isinstance(value, dict):
            schema[keyword] = {name: modern(item, note, f"{where}/{escaped(name)}") for name, item in value.items()}
    return schema


def escaped(key: str) -> str:
    """Return a key as a JSON Pointer has it."""
    return key.replace("~", "~0").replace("/", "~1")


def _tuple(schema: Schema, note: Note) -> None:
    if isinstance(schema.get("items"), list):
        if schema["items"]:
            schema["prefixItems"] = schema.pop("items")
            note("items", "a list of “items” is called “prefixItems”")
        else:
            del schema["items"]
        if "additionalItems" in schema:
            schema["items"] = schema.pop("additionalItems")
            note("additionalItems", "“additionalItems” next to a list of “items” is called “items”")
    elif "additionalItems" in schema:
        del schema["additionalItems"]
        note("additionalItems", "“additionalItems” has no effect without a list of “items”")


def _bounds(schema: Schema, note: Note) -> None:
    for exclusive, inclusive in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(schema.get(exclusive), bool):
            is_exclusive = schema.pop(exclusive)
            if is_exclusive and inclusive in schema:
                schema[exclusive] = schema.pop(inclusive)
            note(exclusive, f"its value is now a number, and no longer a boolean that changes “{inclusive}”")
    if "divisibleBy" in schema:
        schema.setdefault("multipleOf", schema.pop("divisibleBy"))
        note("divisibleBy", "it is called “multipleOf”")


def _types(schema: Schema, note: Note) -> None:
    kind = schema.get("type")
    if kind == "any" or (isinstance(kind, list) and "any" in kind):
        del schema["type"]
        note("type", "without “type”, every type is accepted")
    elif isinstance(kind, list) and any(isinstance(item, dict) for item in kind):
        del schema["type"]
        _also(schema, {"anyOf": [item if isinstance(item, dict) else {"type": item} for item in kind]})
        note("type", "a type that is a schema moves into “anyOf”")
    if "disallow" in schema:
        named = schema.pop("disallow")
        kinds = named if isinstance(named, list) else [named]
        _also(schema, {"not": {"anyOf": [item if isinstance(item, dict) else _of_type(item) for item in kinds]}})
        note("disallow", "it is called “not”")


def _of_type(kind: Any) -> Schema:
    return {} if kind == "any" else {"type": kind}


def _extends(schema: Schema, note: Note) -> None:
    if "extends" in schema:
        bases = schema.pop("extends")
        schema["allOf"] = [*schema.get("allOf", []), *(bases if isinstance(bases, list) else [bases])]
        note("extends", "it is called “allOf”")


def _required(schema: Schema, note: Note) -> None:
    properties = schema.get("properties")
    if isinstance(properties, dict):
        said = [
            name
            for name, item in properties.items()
            if isinstance(item, dict) and isinstance(item.get("required"), bool)
        ]
        if said:
            needed = [name for name in said if properties[name]["required"]]
            schema["properties"] = {
                name: {key: value for key, value in item.items() if key != "required"} if name in said else item
                for name, item in properties.items()
            }
            before = schema["required"] if isinstance(schema.get("required"), list) else []
            if needed:
                schema["required"] = [*before, *(name for name in needed if name not in before)]
            note("properties", f"the object says which properties are required: {', '.join(needed) or 'none'}")


def _dependencies(schema: Schema, note: Note) -> None:
    dependencies = schema.get("dependencies")
    if isinstance(dependencies, dict):
        del schema["dependencies"]
        for name, needed in dependencies.items():
            names = [needed] if isinstance(needed, str) else needed
            keyword = "dependentRequired" if isinstance(names, list) else "dependentSchemas"
            schema[keyword] = {**schema.get(keyword, {}), name: names}
        note("dependencies", "it is called “dependentRequired” or “dependentSchemas”")


def _nullable(schema: Schema, note: Note) -> None:
    nullable = schema.get("nullable")
    if not isinstance(nullable, bool):
        return
    del schema["nullable"]
    kind = schema.get("type")
    if nullable and isinstance(kind, str | list):
        kinds = [kind] if isinstance(kind, str) else kind
        schema["type"] = kinds if "null" in kinds else [*kinds, "null"]
    elif nullable and ({"$ref", "allOf", "anyOf", "oneOf"} & schema.keys()):
        words: Schema = {
            key: schema.pop(key) for key in ("description", "title", "$defs", "definitions") if key in schema
        }
        other = dict(schema)
        schema.clear()
        schema.update(words, anyOf=[other, {"type": "null"}])
    note("nullable", "“null” becomes one of the types")


def _names(schema: Schema, note: Note) -> None:
    if isinstance(schema.get("id"), str):
        schema.setdefault("$id", schema.pop("id"))
        note("id", "it is called “$id”")
    if "example" in schema:
        schema.setdefault("examples", [schema.pop("example")])
        note("example", "it is called “examples”")
    # In one document, both lead where “$ref” leads.
    for old in ("$recursiveRef", "$dynamicRef"):
        if isinstance(schema.get(old), str) and "$ref" not in schema:
            schema["$ref"] = schema.pop(old)
            note(old, "within one document it has the meaning of “$ref”")
    if isinstance(schema.get("$recursiveAnchor"), bool):
        del schema["$recursiveAnchor"]
    if isinstance(schema.get("$dynamicAnchor"), str):
        schema.setdefault("$anchor", schema.pop("$dynamicAnchor"))


def _also(schema: Schema, other: Schema) -> None:
    """Add what must hold as well."""
    [(keyword, value)] = other.items()
    if keyword in schema:
        schema["allOf"] = [*schema.get("allOf", []), other]
    else:
        schema[keyword] = value


#: Each changes the schema in place, and notes what it did.
_REWRITES: tuple[Callable[[Schema, Note], None], ...] = (
    _names,
    _tuple,
    _bounds,
    _types,
    _extends,
    _required,
    _dependencies,
    _nullable,
)
