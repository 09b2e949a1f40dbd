"""Parts of the schemas and annotations of listed tools: a test looks only at those in which outcomes differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from modelcontext.programs.program.outcome import Outcome
    from modelcontext_filing.plain.view import Way

#: The end of a way that means the names of the members there.
KEYS: Final = "*"
#: The end of a way that means the values of the choices there.
CHOICES: Final = "*choices"
#: The member whose absence means the same as an empty list.
_REQUIRED: Final = "required"
_IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)


def different_parts(allowed: Sequence[Outcome], observed: Outcome, name: str) -> tuple[Way, ...]:
    """Return the ways to what differs between an outcome and allowed ones in a member of tools; none if it is more."""
    seen = list(_members(observed, name))
    ways: dict[Way, None] = {}
    for outcome in allowed:
        listed = list(_members(outcome, name))
        if len(listed) != len(seen) or not all(isinstance(one, Mapping) for one in (*listed, *seen)):
            return ()
        for one, other in zip(listed, seen, strict=True):
            ways |= dict.fromkeys(_different(one, other, (name,)))
    return tuple(ways) if (name,) not in ways else ()


def expression(path: Way) -> str:
    """Return the JavaScript expression for the part of a listed tool to which a way leads."""
    written = str(path[0])
    for part in path[1:]:
        if part == KEYS:
            return f"Object.keys({written})"
        if part == CHOICES:
            return f"{written}.map((choice) => choice.const)"
        is_name = isinstance(part, str) and _IDENTIFIER.match(part)
        written += f".{part}" if is_name else f"[{part!r}]"
    return f"{written} ?? []" if path[-1:] == (_REQUIRED,) else written


def part_of(tool: Any, path: Way) -> Any:
    """Return the value of an :func:`expression` for a listed tool of an outcome."""
    value = tool
    for part in path:
        if part == KEYS:
            return list(value)
        if part == CHOICES:
            return [choice["const"] for choice in value]
        if isinstance(value, Mapping) and part not in value:
            return [] if part == _REQUIRED else {"$js": "undefined"}
        value = value[part]
    return value


def _members(outcome: Outcome, name: str) -> Iterator[Any]:
    """Yield a member of each listed tool, or None."""
    for log in outcome.logs.values():
        for entry in log:
            for tool in entry["fulfilled"] if isinstance(entry.get("fulfilled"), list) else ():
                yield tool.get(name) if isinstance(tool, Mapping) else None


def _different(one: Any, other: Any, path: Way) -> Iterator[Way]:
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
