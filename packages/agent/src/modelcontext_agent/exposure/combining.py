"""Two schemas as one: what one of them accepts, and which keywords of them do not join."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from modelcontext_agent.exposure.drafts import Schema


def either(one: Any, other: Any) -> Any:
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


def depends(key: str, one: Schema, other: Schema) -> bool:
    """Return whether a keyword means something else beside the other schema's keywords."""
    group = next((group for group in _GROUPS if key in group), frozenset())
    return bool(group) and any(one.get(keyword) != other.get(keyword) for keyword in group & one.keys())
