"""The strict reading of JSON that others wrote: pages, clients and files."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn


def json_value(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        ValueError: if it is none, has a number that is not finite here, or is nested too deeply to be read.
    """
    try:
        return json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except RecursionError:
        raise ValueError("the JSON text is nested too deeply") from None


def depth(value: Any) -> int:
    """Return how deeply arrays and objects are nested in a JSON value."""
    levels, level = 0, [value]
    while level := [inner for inner in level if isinstance(inner, dict | list)]:
        levels += 1
        level = [member for inner in level for member in (inner.values() if isinstance(inner, dict) else inner)]
    return levels


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits} is too large")
    return number
