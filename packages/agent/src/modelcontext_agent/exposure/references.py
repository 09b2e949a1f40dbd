"""References within a schema: by pointer, by anchor and by ``$id``, each made a pointer from the root."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

from modelcontext_agent.exposure.drafts import LISTS, MAPS, ONE, Schema, escaped


def subschemas(schema: Any, path: str = "", base: str = "") -> Iterator[tuple[str, str, Schema]]:
    """Yield each schema in a schema, itself first, with its path and the address that its references are relative to."""
    if not isinstance(schema, dict):
        return
    own = schema.get("$id")
    base = urljoin(base, own) if isinstance(own, str) else base
    yield path, base, schema
    for keyword, value in schema.items():
        where = f"{path}/{escaped(keyword)}"
        if keyword in ONE:
            yield from subschemas(value, where, base)
        elif keyword in LISTS and isinstance(value, list):
            for index, item in enumerate(value):
                yield from subschemas(item, f"{where}/{index}", base)
        elif keyword in MAPS and isinstance(value, dict):
            for name, item in value.items():
                yield from subschemas(item, f"{where}/{escaped(name)}", base)


def with_pointers(schema: Schema) -> list[tuple[str, str, str]]:
    """Change each reference within a schema, in place, to a pointer from the root.

    Returns:
        the references that were changed: the path of each, what it was, and what it is.
    """
    places: dict[str, str] = {"": ""}
    for path, base, one in subschemas(schema):
        own, anchor = one.get("$id"), one.get("$anchor")
        if isinstance(own, str):
            places[base] = path
            places[urldefrag(base).url] = path
        if isinstance(anchor, str):
            places[f"{urldefrag(base).url}#{anchor}"] = path
    changed = []
    for path, base, one in list(subschemas(schema)):
        reference = one.get("$ref")
        if not isinstance(reference, str):
            continue
        pointer = _pointer(schema, urljoin(base, reference) if base else reference, places)
        if pointer is not None and pointer != reference:
            one["$ref"] = pointer
            changed.append((path, reference, pointer))
    return changed


def _pointer(schema: Schema, address: str, places: dict[str, str]) -> str | None:
    if address in places:
        return f"#{places[address]}"
    document, fragment = urldefrag(address)
    root = places.get(document)
    if root is None or (fragment and not fragment.startswith("/")):
        return None
    for pointer in (f"#{root}{unquote(fragment)}", f"#{root}{fragment}"):
        if target(schema, pointer) is not None:
            return pointer
    return None


def target(schema: Schema, reference: str) -> Any:
    """Return the schema that a pointer from the root leads to, or None."""
    if reference == "#":
        return schema
    if not reference.startswith("#/"):
        return None
    found: Any = schema
    for part in reference[2:].split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and key.isdecimal() and int(key) < len(found):
            found = found[int(key)]
        elif isinstance(found, dict):
            found = found.get(key)
        else:
            return None
    return found if isinstance(found, dict | bool) else None
