"""Rewrites: words of JSON Schema in those of a provider that takes some keywords only, with the same meaning if possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from modelcontext_agent.exposure.changes import ChangeKind

if TYPE_CHECKING:
    from modelcontext_agent.exposure.drafts import Schema

#: The deepest nesting that is sent; what is deeper accepts anything.
DEEPEST = 40

_TYPES = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
    dict: "object",
    list: "array",
}


class Rewritten(Protocol):
    """The conversion of a whole schema, as the rewrite of one of its parts sees it."""

    #: The names in "$defs" of the targets that stand there by now, by the references to them.
    hoisted: dict[str, str]

    def note(self, path: str, kind: ChangeKind, message: str) -> None:
        """Note a change."""

    def resolved(self, schema: Any) -> Any:
        """Return a schema with what it refers to in the reference's place."""

    def combined(self, schema: Schema, path: str) -> Schema:
        """Return a schema without combinations."""

    def lose(self, schema: Schema, path: str, keyword: str, value: Any) -> None:
        """Note that a keyword's constraint is not sent, and say it in the description."""


def _constant_as_enumeration(conversion: Rewritten, schema: Schema, path: str) -> None:
    if "const" in schema:
        constant = schema.pop("const")
        schema["enum"] = [constant]
        schema.setdefault("type", _TYPES[type(constant)])
        conversion.note(f"{path}/const", ChangeKind.REWORDED, "an enumeration of one value")


def _enumeration_of_strings_and_numbers(conversion: Rewritten, schema: Schema, path: str) -> None:
    values = schema.get("enum", [])
    others = [value for value in values if not isinstance(value, str | int | float) or isinstance(value, bool)]
    if not others:
        return
    del schema["enum"]
    kinds = sorted({_TYPES[type(value)] for value in others})
    kept = [value for value in values if not any(value is other for other in others)]
    ways = [{"enum": kept}] * bool(kept) + [{"type": kind} for kind in kinds]
    has_both = any(value is True for value in others) and any(value is False for value in others)
    if "anyOf" in schema or not set(kinds) <= ({"boolean", "null"} if has_both else {"null"}):
        conversion.lose(schema, f"{path}/enum", "enum", values)
    else:
        conversion.note(f"{path}/enum", ChangeKind.REWORDED, "values other than strings and numbers become types")
    if "anyOf" not in schema and ways != [{"type": schema.get("type")}]:
        schema["anyOf"] = ways


def _definitions_in_one_place(conversion: Rewritten, schema: Schema, path: str) -> None:
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
            conversion.note(f"{path}/$ref", ChangeKind.REWORDED, f"the schema at “{reference}” replaces the reference")
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
        conversion.note(f"{path}/$ref", ChangeKind.REWORDED, f"the schema at “{reference}” moves into “$defs”")
    rest = {key: schema.pop(key) for key in list(schema) if not key.startswith("$")}
    if rest:
        schema.update(rest, anyOf=[{"$ref": schema.pop("$ref")}])
        conversion.note(f"{path}/$ref", ChangeKind.REWORDED, "other keywords move away from the reference")


def _closed_tuple(conversion: Rewritten, schema: Schema, path: str) -> None:
    if schema.get("items") is False:
        most = len(schema.get("prefixItems", ()))
        del schema["items"]
        schema["maxItems"] = min(most, schema.get("maxItems", most))
        conversion.note(f"{path}/items", ChangeKind.REWORDED, f"“maxItems” {schema['maxItems']}")


def _one_of_as_any_of(conversion: Rewritten, schema: Schema, path: str) -> None:
    if "oneOf" in schema and "anyOf" not in schema:
        schema["anyOf"] = schema.pop("oneOf")
        conversion.note(
            f"{path}/oneOf", ChangeKind.WIDENED, "“oneOf” becomes “anyOf”: a value may match more than one schema"
        )


def _all_of_as_one(conversion: Rewritten, schema: Schema, path: str) -> None:
    if "allOf" in schema:
        merged = conversion.combined({key: schema[key] for key in schema if key not in ("anyOf", "oneOf")}, path)
        kept = {key: schema[key] for key in ("anyOf", "oneOf") if key in schema}
        schema.clear()
        schema.update(merged, **kept)


def _bounds_of_integers(conversion: Rewritten, schema: Schema, path: str) -> None:
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
REWRITES: tuple[Callable[[Rewritten, Schema, str], None], ...] = (
    _definitions_in_one_place,
    _all_of_as_one,
    _closed_tuple,
    _one_of_as_any_of,
    _constant_as_enumeration,
    _enumeration_of_strings_and_numbers,
    _bounds_of_integers,
)
