"""Numbers among Infra values: in Python a boolean is an int, and in Infra it is not a number."""

from __future__ import annotations

from typing import TypeGuard


def is_a_number(value: object) -> TypeGuard[float]:
    """Return whether an Infra value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_an_integer(value: object) -> TypeGuard[float]:
    """Return whether an Infra value is an integer."""
    return is_a_number(value) and value == value // 1
