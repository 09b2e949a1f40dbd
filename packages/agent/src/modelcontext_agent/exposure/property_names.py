"""Names in schemas: others for those that a provider refuses, or in which something could hide."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from modelcontext_agent.exposure.dialects import is_plain
from modelcontext_agent.exposure.drafts import Schema, escaped
from modelcontext_agent.exposure.references import subschemas

if TYPE_CHECKING:
    from modelcontext_agent.exposure.dialects import SchemaDialect


def with_sendable_names(schema: Schema, dialect: SchemaDialect, note: Callable[[str, str], None]) -> dict[str, str]:
    """Give the properties whose names are not sent others, in place, wherever the schema names them.

    Args:
        schema: the schema.
        dialect: the provider's.
        note: takes the path of a property, and words about its name.

    Returns:
        the page's names, by those that are sent instead.
    """
    sent_names: dict[str, str] = {}
    definitions: dict[str, str] = {}
    for _, _, one in subschemas(schema):
        for name in (*one.get("$defs", ()), *one.get("definitions", ())):
            if not is_plain(name):
                definitions[name] = _name_for(name)
        for name in _named(one):
            if not dialect.takes_name(name):
                sent_names[name] = _name_for(name)
    for path, _, one in list(subschemas(schema)):
        for name, property_ in (one.get("properties") or {}).items():
            if name not in sent_names:
                continue
            where = f"{path}/properties/{escaped(name)}"
            note(where, f"the provider gets the name “{sent_names[name]}”, and the page gets the original name")
            if isinstance(property_, dict):
                if dialect.keywords is not None and "$ref" in property_:
                    # Providers that take some keywords only take none beside a reference.
                    property_["anyOf"] = [{"$ref": property_.pop("$ref")}]
                words = f"The page calls it {json.dumps(name, ensure_ascii=False)}."
                said = property_.get("description")
                property_["description"] = f"{words} {said}" if isinstance(said, str) and said else words
    if sent_names or definitions:
        for _, _, one in list(subschemas(schema)):
            _rename(one, sent_names, definitions)
    return {sent: name for name, sent in sent_names.items()}


def _named(schema: Schema) -> Iterator[str]:
    """Yield the names of properties that a schema has, those of its parts not among them."""
    dependent = schema.get("dependentRequired", {})
    for names in (schema.get("properties", ()), schema.get("required", ()), schema.get("dependentSchemas", ())):
        yield from names
    for name, needed in dependent.items():
        yield from (name, *needed)


def _rename(schema: Schema, sent_names: Mapping[str, str], definitions: Mapping[str, str]) -> None:
    for keyword in ("$defs", "definitions"):
        if isinstance(schema.get(keyword), dict):
            schema[keyword] = {definitions.get(name, name): value for name, value in schema[keyword].items()}
    for keyword in ("properties", "dependentSchemas", "dependentRequired"):
        if isinstance(schema.get(keyword), dict):
            schema[keyword] = {sent_names.get(name, name): value for name, value in schema[keyword].items()}
    dependent = schema.get("dependentRequired") or {}
    lists = [(schema, "required"), *((dependent, name) for name in dependent)]
    for holder, key in lists:
        if isinstance(holder.get(key), list):
            holder[key] = [sent_names.get(name, name) for name in holder[key]]
    if isinstance(reference := schema.get("$ref"), str):
        schema["$ref"] = _with_names(
            reference, {"properties": sent_names, "$defs": definitions, "definitions": definitions}
        )


def _name_for(name: str) -> str:
    """Return the name that stands for a property's: a readable part, and digits that no other name has."""
    readable = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:40] or "property"
    return f"{readable}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def _with_names(reference: str, renamed: Mapping[str, Mapping[str, str]]) -> str:
    parts = reference.split("/")
    for index, part in enumerate(parts[1:], 1):
        names = renamed.get(parts[index - 1], {})
        own = part.replace("~1", "/").replace("~0", "~")
        if own in names:
            parts[index] = names[own]
    return "/".join(parts)
