"""Places in the schemas of listed tools: a test looks only at those in which outcomes differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from modelcontext.programs.program.outcome import Outcome
    from modelcontext_filing.plain.view import SchemaPath

#: The end of a way that means the names of the members there.
KEYS: Final = "*"
#: The end of a way that means the values of the choices there.
CHOICES: Final = "*choices"
#: The member whose absence means the same as an empty list.
_REQUIRED: Final = "required"
_IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)


def different_places(allowed: Sequence[Outcome], observed: Outcome) -> tuple[SchemaPath, ...]:
    """Return the ways to the members in which an outcome differs from allowed ones; none if more than members differ."""
    seen = list(_schemas(observed))
    places: dict[SchemaPath, None] = {}
    for outcome in allowed:
        listed = list(_schemas(outcome))
        if len(listed) != len(seen) or not all(isinstance(one, Mapping) for one in (*listed, *seen)):
            return ()
        for one, other in zip(listed, seen, strict=True):
            places |= dict.fromkeys(_different(one, other, ()))
    return tuple(places) if () not in places else ()


def expression(path: SchemaPath) -> str:
    """Return the JavaScript expression for the member of ``inputSchema`` to which a way leads."""
    written = "inputSchema"
    for part in path:
        if part == KEYS:
            return f"Object.keys({written})"
        if part == CHOICES:
            return f"{written}.map((choice) => choice.const)"
        is_name = isinstance(part, str) and _IDENTIFIER.match(part)
        written += f".{part}" if is_name else f"[{part!r}]"
    return f"{written} ?? []" if path[-1:] == (_REQUIRED,) else written


def member(schema: Any, path: SchemaPath) -> Any:
    """Return the value of an :func:`expression` for the schema of an outcome."""
    for part in path:
        if part == KEYS:
            return list(schema)
        if part == CHOICES:
            return [choice["const"] for choice in schema]
        if isinstance(schema, Mapping) and part not in schema:
            return [] if part == _REQUIRED else {"$js": "undefined"}
        schema = schema[part]
    return schema


def _schemas(outcome: Outcome) -> Iterator[Any]:
    """Yield the schema of each listed tool, or None."""
    for log in outcome.logs.values():
        for entry in log:
            for tool in entry["fulfilled"] if isinstance(entry.get("fulfilled"), list) else ():
                yield tool.get("inputSchema") if isinstance(tool, Mapping) else None


def _different(one: Any, other: Any, path: SchemaPath) -> Iterator[SchemaPath]:
    if one == other:
        return
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        if path[-1:] == ("properties",) and set(one) != set(other):
            yield (*path, KEYS)
            return
        for key in dict.fromkeys([*one, *other]):
            if key in one and key in other:
                yield from _different(one[key], other[key], (*path, key))
            else:
                yield (*path, key)
    elif (
        isinstance(one, list)
        and isinstance(other, list)
        and len(one) == len(other)
        and all(isinstance(item, Mapping) for item in (*one, *other))
    ):
        for index, pair in enumerate(zip(one, other, strict=True)):
            yield from _different(*pair, (*path, index))
    elif _are_choices(one) and _are_choices(other):
        yield (*path, CHOICES)
    else:
        yield path


def _are_choices(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, Mapping) and "const" in item for item in value)
